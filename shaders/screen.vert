// A quad over the whole picture, behind everything.
#include "corner.glsl"
void main() { gl_Position = vec4(corner * 2.0 - 1.0, 1.0, 1.0); }
