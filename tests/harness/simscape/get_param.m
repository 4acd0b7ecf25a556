function value = get_param(varargin), value = simulink("get", varargin{:}); end
