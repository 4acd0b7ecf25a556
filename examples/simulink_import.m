% Builds a Simulink model with the FMU block around an FMU of ballesta, simulates it, and plots its first output.
%
%   ballesta export models/four_bar -o four_bar.fmu
%   >> simulink_import('four_bar.fmu')
%
% Written from the documentation of the FMU block (library Simulink Extras / FMU Import). It was NOT run: MATLAB was not at
% hand. What to expect from the FMU:
% - It is for Co-Simulation and for Model Exchange; where the block lets one choose, Co-Simulation has the solver in the FMU, Model
%   Exchange takes Simulink's. In Co-Simulation the communication step is that of the FMU's default experiment; the block takes it
%   over. Any other step is honoured too, the FMU's internal step stays what it is.
% - Every variable is a scalar; components of vectors are named a.x, a.y, a.z.
% - Tunable parameters can be changed between steps, fixed ones only before the simulation.
% - The FMU has a binary and no C sources: it runs in normal, accelerator and rapid accelerator mode on a platform whose
%   library it holds, and cannot be compiled for a target by code generation.
function simulink_import(fmu)
    [~, name] = fileparts(fmu);
    model = [name '_import'];
    block = [model '/FMU'];
    new_system(model);
    add_block('simulink_extras/FMU Import/FMU', block, 'Position', [100 100 400 300]);
    set_param(block, 'FMUName', which(fmu));

    % Inputs keep their start values when nothing is connected; here every input gets a constant of 0.
    ports = get_param(block, 'PortHandles');
    for i = 1:numel(ports.Inport)
        source = add_block('simulink/Sources/Constant', sprintf('%s/u%d', model, i), ...
            'Value', '0', 'Position', [20 100 + 40 * i 50 120 + 40 * i]);
        handles = get_param(source, 'PortHandles');
        add_line(model, handles.Outport(1), ports.Inport(i));
    end
    sink = add_block('simulink/Sinks/To Workspace', [model '/y'], ...
        'VariableName', 'y', 'Position', [480 100 540 130]);
    handles = get_param(sink, 'PortHandles');
    add_line(model, ports.Outport(1), handles.Inport(1));

    set_param(model, 'SolverType', 'Fixed-step', 'Solver', 'FixedStepDiscrete', 'FixedStep', '1e-3', 'StopTime', '10');
    result = sim(model, 'ReturnWorkspaceOutputs', 'on');
    plot(result.get('y'));
end
