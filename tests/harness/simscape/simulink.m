function varargout = simulink(request, varargin)
% What was built so far, and the checks of every call against blocks.json.
persistent state
if isempty(state) || strcmp(request, 'reset')
    table = jsondecode(fileread(fullfile(fileparts(mfilename('fullpath')), 'blocks.json')));
    if ~iscell(table), table = num2cell(table); end
    state = struct('table', {table}, 'loaded', {{}}, 'systems', {{}}, 'blocks', {{}}, 'ports', {{}}, 'lines', {{}}, 'mask', {{}});
end
switch request
    case 'reset'
    case 'load'
        assert(any(strcmp(varargin{1}, {'sm_lib', 'nesl_utility'})), 'no library %s', varargin{1});
        state.loaded{end+1} = varargin{1};
    case 'is loaded'
        varargout{1} = any(strcmp(varargin{1}, [state.loaded state.systems]));
    case 'new system'
        assert(isvarname(varargin{1}) && ~any(strcmp(varargin{1}, state.systems)), 'system %s', varargin{1});
        assert(any(strcmp(varargin{2}, {'Library', 'Model'})));
        state.systems{end+1} = varargin{1};
    case 'find'
        paths = cellfun(@(entry) entry.path, state.table, 'UniformOutput', false);
        assert(any(strcmp(varargin{1}, state.loaded)), 'library %s is not loaded', varargin{1});
        varargout{1} = paths(strncmp(paths, [varargin{1} '/'], numel(varargin{1}) + 1));
    case 'add block'
        [source, path] = varargin{1:2};
        entry = entry_of(state, source);
        library = strtok(source, '/');
        assert(strcmp(library, 'built-in') || any(strcmp(library, state.loaded)), 'library %s is not loaded', library);
        assert(~any(cellfun(@(block) strcmp(block.path, path), state.blocks)), 'there is a block %s', path);
        parent = regexprep(path, '(?<!/)/(?!/)(?:[^/]|//)*$', '');
        parents = [state.systems cellfun(@(block) block.path, state.blocks, 'UniformOutput', false)];
        assert(any(strcmp(parent, parents)), 'no system %s', parent);
        state.blocks{end+1} = struct('path', path, 'source', source, 'parameters', {{}});
        state = ports_of(state, path, entry.left, entry.right);
        state = set(state, path, varargin(3:end));
    case 'set'
        state = set(state, varargin{1}, varargin(2:end));
    case 'get'
        [path, what] = varargin{1:2};
        entry = entry_of(state, state.blocks{number_of(state, path)}.source);
        switch what
            case 'DialogParameters'
                dialog = struct();
                for parameter = entry.parameters(:)'
                    if iscell(parameter), parameter = parameter{1}; end
                    entries = {};
                    if parameter.listed, entries = parameter.values; end
                    dialog.(parameter.name) = struct('Prompt', parameter.name, 'Enum', {entries});
                end
                varargout{1} = dialog;
            case 'PortHandles'
                own = state.ports(cellfun(@(port) strcmp(port.path, path), state.ports));
                left = cellfun(@(port) strcmp(port.side, 'left'), own);
                handles = cellfun(@(port) port.handle, own);
                varargout{1} = struct('Inport', [], 'Outport', [], 'LConn', handles(left), 'RConn', handles(~left));
            otherwise
                error('no parameter %s', what);
        end
    case 'add line'
        [system, from, to] = varargin{1:3};
        assert(isequal(varargin(4:end), {'autorouting', 'on'}));
        assert(isscalar(from) && isscalar(to) && from ~= to, 'a line connects two ports');
        for handle = [from to]
            port = state.ports{handle};
            assert(strncmp(port.path, [system '/'], numel(system) + 1), '%s is not in %s', port.path, system);
        end
        state.lines{end+1} = [from to];
    case 'mask'
        number_of(state, varargin{1});
    case 'mask parameter'
        given = struct(varargin{:});
        assert(strcmp(given.Type, 'edit') && isvarname(given.Name) && ~isempty(given.Prompt));
        state.mask{end+1} = struct('name', given.Name, 'value', given.Value);
    case 'report'
        [blocks, lines, mask] = deal(state.blocks, state.lines, state.mask);
        ends = cellfun(@(line) {state.ports{line(1)}, state.ports{line(2)}}, lines, 'UniformOutput', false);
        varargout{1} = struct('blocks', {blocks}, 'lines', {ends}, 'mask', {mask});
    otherwise
        error('no request %s', request);
end
end

function entry = entry_of(state, source)
found = cellfun(@(entry) strcmp(entry.path, source), state.table);
assert(any(found), 'no block %s', source);
entry = state.table{find(found, 1)};
end

function number = number_of(state, path)
number = find(cellfun(@(block) strcmp(block.path, path), state.blocks), 1);
assert(~isempty(number), 'no block at %s', path);
end

function state = ports_of(state, path, left, right)
% Handles are the numbers of the ports: those that a block no longer has keep theirs.
for i = find(cellfun(@(port) strcmp(port.path, path), state.ports))
    state.ports{i}.path = '';
end
for i = 1:left + right
    handle = numel(state.ports) + 1;
    if i <= left, side = 'left'; else, side = 'right'; end
    state.ports{end+1} = struct('path', path, 'side', side, 'number', i, 'handle', handle);
end
end

function state = set(state, path, given)
number = number_of(state, path);
source = state.blocks{number}.source;
entry = entry_of(state, source);
for i = 1:2:numel(given)
    [name, value] = given{i:i + 1};
    if strcmp(name, 'Position')
        assert(isnumeric(value) && numel(value) == 4 && value(1) < value(3) && value(2) < value(4), 'position of %s', path);
        continue
    end
    assert(ischar(value), '%s of %s is no text', name, path);
    found = arrayfun(@(parameter) strcmp(parameter.name, name), entry.parameters(:)');
    assert(any(found), '%s has no parameter %s', source, name);
    values = entry.parameters(find(found, 1)).values;
    assert(isempty(values) || any(strcmp(value, values)), '%s of %s cannot be %s', name, source, value);
    state.blocks{number}.parameters{end+1} = struct('name', name, 'value', value);
    if strcmp(name, 'NumberOfInterfaceFrames')
        count = str2double(value);
        state = ports_of(state, path, ceil(count / 2), floor(count / 2));
    end
end
end
