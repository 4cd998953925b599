in vec2 position; // logical pixels from the top left
in vec2 uv;
in vec4 color;    // premultiplied, sRGB
uniform vec2 screen; // logical pixels
out vec2 place;
out vec4 tint;
void main() {
    place = uv;
    tint = color;
    gl_Position = vec4(2.0 * position.x / screen.x - 1.0, 1.0 - 2.0 * position.y / screen.y, 0.0, 1.0);
}
