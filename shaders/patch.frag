// A translucent surface: more opaque at grazing angles, bright along its rim.
#include "scene.glsl"
in vec3 point;
in vec3 facing;
in float edge;
in vec4 tint;
out vec4 result;

void main() {
    Ray ray = ray_through(gl_FragCoord.xy);
    float grazing = 1.0 - abs(dot(normalize(facing), ray.direction));
    float width = max(fwidth(edge), 1e-6);
    float rim = clamp((edge - 1.0) / width + 1.0 + raster.x * 1.6, 0.0, 1.0);
    float film = (0.18 + 0.75 * grazing * grazing) * (0.35 + 0.65 * edge);
    float alpha = clamp(tint.a * max(film, 0.9 * rim * min(1.0, 0.08 / width)), 0.0, 1.0);
    result = vec4(tint.rgb * alpha, alpha);
}
