-- Simulates an FMU with OMSimulator.
--
--   ballesta export models/four_bar -o four_bar.fmu
--   OMSimulator omsimulator_import.lua
--
-- Systems of the kind `oms_system_wc` step FMUs for Co-Simulation.

oms_newModel("model")
oms_addSystem("model.root", oms_system_wc)
oms_addSubModel("model.root.mechanism", "four_bar.fmu")

oms_setResultFile("model", "four_bar.csv")
oms_setStopTime("model", 10.0)
oms_setFixedStepSize("model.root", 1e-2)

oms_instantiate("model")
-- Set parameters and start values of inputs here, for example:
-- oms_setReal("model.root.mechanism.NAME", 2.5)
oms_initialize("model")
oms_simulate("model")
oms_terminate("model")
oms_delete("model")
