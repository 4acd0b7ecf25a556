% Plane truss in the tables of STABIL: five bays of 2 m by 2 m, pinned at node 1, on a roller at node 6.
% Units: m, N, kg.

% Nodes=[NodID X Y Z]
Nodes=[ 1  0  0  0;
        2  2  0  0];
Nodes=reprow(Nodes,1:2,2,[2 4 0 0]);
Nodes=reprow(Nodes,1:6,1,[6 0 2 0]);

% Types={TypID EltName}
Types={1 'truss'};

% Sections=[SecID A ky kz Ixx Iyy Izz]
A=1e-3;
Sections=[1 A NaN NaN NaN NaN NaN];

% Materials=[MatID E nu rho]
Materials=[1 210e9 0.3 7800];

% Elements=[EltID TypID SecID MatID n1 n2]
Elements=[1 1 1 1 1 2];                           % lower chord
Elements=reprow(Elements,1,4,[1 0 0 0 1 1]);
Elements=[Elements; 6 1 1 1 7 8];                 % upper chord
Elements=reprow(Elements,6,4,[1 0 0 0 1 1]);
Elements=[Elements; 11 1 1 1 1 7];                % verticals
Elements=reprow(Elements,11,5,[1 0 0 0 1 1]);
Elements=[Elements; 17 1 1 1 7 2];                % diagonals
Elements=reprow(Elements,17,4,[1 0 0 0 1 1]);

DOF=getdof(Elements,Types);
DOF=removedof(DOF,[0.03; 1.01; 1.02; 6.02]);
[K,M]=asmkm(Nodes,Elements,Types,Sections,Materials,DOF);
[phi,omega]=eigfem(K,M,4);
disp(omega/2/pi);
