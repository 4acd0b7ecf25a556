function load_system(name), simulink("load", name); end
