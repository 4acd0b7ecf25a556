function paths = find_system(library, varargin)
assert(isequal(varargin, {'LookUnderMasks', 'all', 'Type', 'block'}));
paths = simulink('find', library);
paths = paths(:);
end
