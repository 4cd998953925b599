// Bounds of a sphere's image.

// Margin in pixels. Antialiased edges extend past the shape by the distance from a pixel's centre to a sample.
#ifdef MULTISAMPLED
const float SLACK = 0.75;
#else
const float SLACK = 0.0;
#endif

// Smallest and largest value of dot(axis, pixel) over the outline of a sphere on the screen, exact for any projection:
// a screen line is tangent to the outline if the plane through it and the eye is tangent to the sphere, which gives a
// quadratic in the line's offset (the dual conic of the projected quadric). Measured from the image of the centre to avoid
// cancellation. `crosses` is set if the sphere crosses the plane of the eye, where its image is unbounded.
vec2 outline(vec3 center, float radius, vec2 axis, out bool crosses) {
    mat4 rows = transpose(view_projection);
    vec4 along = 0.5 * (axis.x * viewport.x * (rows[0] + rows[3]) + axis.y * viewport.y * (rows[1] + rows[3]));
    vec3 w = rows[3].xyz;
    float depth = dot(rows[3], vec4(center, 1.0));
    float a = depth * depth - radius * radius * dot(w, w);
    crosses = a <= 0.0;
    if (crosses) return vec2(0.0);
    float middle = dot(along, vec4(center, 1.0)) / depth;
    vec3 d = along.xyz - middle * w;
    float m = radius * dot(d, w);
    float reach = sqrt(m * m + a * dot(d, d));
    return middle + radius / a * (vec2(-reach, reach) - m);
}

bool behind_eye(vec3 center, float radius) {
    mat4 rows = transpose(view_projection);
    return dot(rows[3], vec4(center, 1.0)) < -radius * length(rows[3].xyz);
}

const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);
