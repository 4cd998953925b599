// The floor: lit where the figure stands, with shadows and a grid, fading into the background.
#include "scene.glsl"
#include "background.glsl"
uniform sampler2D shade_map;
uniform vec4 disc;       // centre, radius
uniform vec4 tint;       // linear colour; w: brightness in full shadow
uniform vec4 grid;       // linear colour; w: opacity
uniform vec4 axis_x;
uniform vec4 axis_z;
uniform vec4 pattern;    // x: major cell, 0 without grid; y: radius of the lit part; z: opacity
in vec3 point;
out vec4 result;

// Coverage of lines `width` pixels wide at integers of `place`, where one pixel is `step` wide.
vec2 ruled(vec2 place, vec2 step, float width) {
    vec2 away = abs(fract(place - 0.5) - 0.5) / step;
    vec2 line = clamp(0.5 * width + 0.5 - away, 0.0, 1.0);
    return line * clamp(0.22 / step - 0.4, 0.0, 1.0); // fades out before lines become moire
}

float stroke(float place, float step, float width) {
    return clamp(0.5 * width + 0.5 - abs(place) / step, 0.0, 1.0);
}

void main() {
    vec2 away = point.xz - disc.xz;
    float r = length(away);
    float melt = 1.0 - smoothstep(0.18 * disc.w, disc.w, r);
    melt *= melt;
    vec2 place = (shadow_projection * vec4(point, 1.0)).xy * 0.5 + 0.5;
    vec2 dark = texture(shade_map, place).rg; // shadow, hidden sky
    vec3 cool = sky.rgb / max(max(sky.r, sky.g), max(sky.b, 1e-3));
    vec3 lit = mix(vec3(1.0), tint.w * cool, dark.r) * (1.0 - 0.6 * dark.g);
    float pool = exp(-r * r / (pattern.y * pattern.y));
    vec3 color = tint.rgb * (1.0 + 0.45 * pool) * lit;

    if (pattern.x > 0.0) {
        vec2 cells = point.xz / pattern.x;
        vec2 step = max(fwidth(cells), vec2(1e-7));
        vec2 major = ruled(cells, step, 1.1 * raster.x), minor = ruled(cells * 4.0, step * 4.0, raster.x);
        float line = max(max(major.x, major.y) * 0.75, max(minor.x, minor.y) * 0.28);
        color = mix(color, grid.rgb * mix(vec3(0.75), vec3(1.0), lit), line * grid.w);
    }
    vec2 pixel = max(fwidth(point.xz), vec2(1e-7));
    color = mix(color, axis_x.rgb * mix(vec3(0.6), vec3(1.0), lit), axis_x.w * stroke(point.z, pixel.y, 1.6 * raster.x));
    color = mix(color, axis_z.rgb * mix(vec3(0.6), vec3(1.0), lit), axis_z.w * stroke(point.x, pixel.x, 1.6 * raster.x));
    result = pattern.z < 1.0 ? vec4(color, 1.0) * (melt * pattern.z)
                             : vec4(mix(background_at(gl_FragCoord.xy), color, melt), 1.0);
}
