#include "scene.glsl"
#include "corner.glsl"
uniform vec4 disc; // centre, radius
out vec3 point;
void main() {
    vec2 place = disc.xz + (corner * 2.0 - 1.0) * disc.w;
    point = vec3(place.x, disc.y, place.y);
    gl_Position = view_projection * vec4(point, 1.0);
}
