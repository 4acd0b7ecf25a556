function open_system(name), assert(simulink("is loaded", name)); end
