function new_system(varargin), simulink("new system", varargin{:}); end
