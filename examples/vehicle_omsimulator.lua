-- Drives the FMU of the van through a manoeuvre with OMSimulator.
--
--   ballesta export models/van -o van.fmu
--   cp models/van/manoeuvres/step_steer.csv .
--   OMSimulator vehicle_omsimulator.lua
--
-- The columns of the CSV file are outputs of a table, which must end after the stop time. OMSimulator keeps inputs
-- constant during a communication step, while `ballesta run --inputs` interpolates them: with a step of 1 ms the yaw
-- rate differs by 0.2 %.

oms_newModel("rig")
oms_addSystem("rig.root", oms_system_wc)
oms_addSubModel("rig.root.van", "van.fmu")
oms_addSubModel("rig.root.driver", "step_steer.csv")

oms_addConnection("rig.root.driver.steering_wheel.angle", "rig.root.van.steering_wheel.angle")
oms_addConnection("rig.root.driver.target_speed", "rig.root.van.target_speed")
-- Parameters and start values, for example the start speed:
oms_setReal("rig.root.van.speed", 22.2222)

oms_setResultFile("rig", "van.csv")
oms_setStopTime("rig", 5.0)
oms_setFixedStepSize("rig.root", 1e-3)

oms_instantiate("rig")
oms_initialize("rig")
oms_simulate("rig")
oms_terminate("rig")
oms_delete("rig")
