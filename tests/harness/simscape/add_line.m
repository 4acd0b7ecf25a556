function add_line(varargin), simulink("add line", varargin{:}); end
