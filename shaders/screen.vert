// A quad over the whole picture, behind everything.
in vec2 corner; // 0..1
void main() { gl_Position = vec4(corner * 2.0 - 1.0, 1.0, 1.0); }
