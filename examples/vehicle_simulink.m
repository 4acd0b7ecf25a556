% Drives the FMU of a vehicle through a manoeuvre in Simulink, by the FMU block, and plots some of its outputs.
%
%   ballesta export models/van -o van.fmu
%   >> vehicle_simulink('van.fmu', 'models/van/manoeuvres/step_steer.csv', ["chassis.angles.roll", "axle1.left.tyre.Fz"])
%
% Written from the documentation of the FMU block (library Simulink Extras / FMU Import). It was NOT run: MATLAB was not at
% hand. The block has one input port per input of the FMU and one output port per output, in the order of modelDescription.xml,
% from which the names are read here. Inputs without a column in the CSV file keep their start values. Between two rows of the
% file inputs are linear, as in `ballesta run --inputs`; the block holds them over each communication step.
function vehicle_simulink(fmu, manoeuvre, wanted)
    [~, name] = fileparts(fmu);
    model = [name '_manoeuvre'];
    block = [model '/FMU'];
    new_system(model);
    add_block('simulink_extras/FMU Import/FMU', block, 'Position', [300 100 600 900]);
    set_param(block, 'FMUName', which(fmu));

    folder = tempname;
    unzip(fmu, folder);
    description = readstruct(fullfile(folder, 'modelDescription.xml'));
    variables = description.ModelVariables.ScalarVariable;
    inputs = variables([variables.causalityAttribute] == "input");
    outputs = variables([variables.causalityAttribute] == "output");
    table = readtable(manoeuvre, 'VariableNamingRule', 'preserve');
    ports = get_param(block, 'PortHandles');

    for i = 1:numel(inputs)
        place = [20 100 + 40 * i 120 130 + 40 * i];
        column = find(string(table.Properties.VariableNames) == inputs(i).nameAttribute);
        if isempty(column)
            start = inputs(i).Real.startAttribute;
            source = add_block('simulink/Sources/Constant', sprintf('%s/u%d', model, i), 'Value', num2str(start, 17));
        else
            signal = sprintf('u%d', i);
            assignin('base', signal, timeseries(table{:, column}, table.time));
            source = add_block('simulink/Sources/From Workspace', [model '/' signal], 'VariableName', signal, ...
                'Interpolate', 'on', 'OutputAfterFinalValue', 'Holding final value');
        end
        set_param(source, 'Position', place);
        handles = get_param(source, 'PortHandles');
        add_line(model, handles.Outport(1), ports.Inport(i));
    end
    for k = 1:numel(wanted)
        index = find([outputs.nameAttribute] == wanted(k));
        sink = add_block('simulink/Sinks/To Workspace', sprintf('%s/y%d', model, k), ...
            'VariableName', sprintf('y%d', k), 'Position', [700 100 + 40 * k 760 130 + 40 * k]);
        handles = get_param(sink, 'PortHandles');
        add_line(model, ports.Outport(index), handles.Inport(1));
    end

    set_param(model, 'SolverType', 'Fixed-step', 'Solver', 'FixedStepDiscrete', 'FixedStep', '1e-3', ...
        'StopTime', num2str(table.time(end)));
    result = sim(model, 'ReturnWorkspaceOutputs', 'on');
    for k = 1:numel(wanted)
        subplot(numel(wanted), 1, k);
        plot(result.get(sprintf('y%d', k)));
        ylabel(wanted(k), 'Interpreter', 'none');
    end
    rmdir(folder, 's');
end
