// One piece of a polyline of constant width on the screen: a quad whose ends are mitred with its neighbours.
#include "scene.glsl"
#include "corner.glsl"
// corner.x: 0 at start, 1 at end; corner.y: 0..1 across
in vec3 before;     // the point before start; equal to start at a free end
in vec3 start;
in vec3 end;
in vec3 after;      // the point after end; equal to end at a free end
in vec4 color_start;
in vec4 color_end;
in vec4 stroke;     // logical pixels: width, dash, gap; way from the first point to start
out vec2 place;  // pixels along and across
out vec4 paint;
flat out vec4 shape;           // half width, dash, period, way to start
flat out vec3 ends;            // length, 1 where the start is free, 1 where the end is free

const float NEAR = 1e-3;

vec2 pixel(vec4 clip) { return clip.xy / clip.w * 0.5 * viewport.xy; }
vec4 in_front(vec4 p, vec4 other) { return p.w < NEAR ? mix(other, p, (other.w - NEAR) / (other.w - p.w)) : p; }

void main() {
    vec4 o = view_projection * vec4(before, 1.0), p = view_projection * vec4(start, 1.0);
    vec4 q = view_projection * vec4(end, 1.0), n = view_projection * vec4(after, 1.0);
    place = vec2(0.0); paint = vec4(0.0); shape = vec4(0.0); ends = vec3(0.0);
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    if (p.w < NEAR && q.w < NEAR) return;
    bool free_start = before == start, free_end = after == end;
    p = in_front(p, q);
    q = in_front(q, p);
    vec2 sp = pixel(p), sq = pixel(q);
    vec2 run = sq - sp;
    float len = length(run);
    vec2 tangent = len > 1e-4 ? run / len : vec2(1.0, 0.0);
    vec2 across = vec2(-tangent.y, tangent.x);
    bool at_start = corner.x < 0.5;
    float half_width = 0.5 * stroke.x * raster.x;
    float reach = (half_width + 1.0) * (corner.y * 2.0 - 1.0);
    vec2 offset;
    if (at_start ? free_start : free_end) {
        offset = across * reach + tangent * (at_start ? -1.0 : 1.0) * (half_width + 1.0);
    } else {
        vec2 next = at_start ? sp - pixel(in_front(o, p)) : pixel(in_front(n, q)) - sq;
        float next_len = length(next);
        vec2 next_across = next_len > 1e-4 ? vec2(-next.y, next.x) / next_len : across;
        vec2 mitre = across + next_across;
        float mitre_len = length(mitre);
        mitre = mitre_len > 0.1 ? mitre / mitre_len : across;
        offset = mitre * reach / max(dot(mitre, across), 0.35);
    }
    vec4 clip = at_start ? p : q;
    // Slightly toward the eye, so that lines on a surface stay visible. Divided by w here, so that all outputs are interpolated
    // on the screen.
    gl_Position = vec4(((at_start ? sp : sq) + offset) / (0.5 * viewport.xy), clip.z / clip.w - 2e-5, 1.0);
    place = vec2((at_start ? 0.0 : len) + dot(offset, tangent), dot(offset, across));
    vec4 color = at_start ? color_start : color_end;
    paint = vec4(linear_of_srgb(color.rgb), color.a);
    shape = vec4(half_width, stroke.y * raster.x, (stroke.y + stroke.z) * raster.x, stroke.w * raster.x);
    ends = vec3(len, free_start ? 1.0 : 0.0, free_end ? 1.0 : 0.0);
}
