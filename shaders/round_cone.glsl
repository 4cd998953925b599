// A cone with round ends: the hull of the spheres (a, ra) and (b, rb).
struct RoundCone { vec3 a; float ra; vec3 b; float rb; };

// Distance from a line to the round cone, negative where it hits. Along the line, the shape projects to the hull of two
// circles. `along` (0 at a, 1 at b) is the point of the axis that is nearest to the line.
float line_distance(RoundCone cone, Ray ray, out float along) {
    vec3 axis = cone.b - cone.a;
    vec3 flat_axis = axis - ray.direction * dot(axis, ray.direction);
    vec3 p = ray.origin - cone.a;
    p -= ray.direction * dot(p, ray.direction);
    float len = length(flat_axis);
    float sine = (cone.ra - cone.rb) / max(len, 1e-9);
    if (abs(sine) >= 1.0) { // one circle contains the other
        along = sine > 0.0 || (sine == 0.0) ? 0.0 : 1.0;
        return sine > 0.0 ? length(p) - cone.ra : length(p - flat_axis) - cone.rb;
    }
    vec3 unit = len > 1e-9 ? flat_axis / len : vec3(0.0);
    float cosine = sqrt(1.0 - sine * sine);
    float y = dot(p, unit);
    float x = length(p - unit * y);
    float k = cosine * y - sine * x; // along the slanted side
    if (k <= 0.0) { along = 0.0; return length(p) - cone.ra; }
    if (k >= cosine * len) { along = 1.0; return length(p - flat_axis) - cone.rb; }
    along = k / (cosine * len);
    return cosine * x + sine * y - cone.ra;
}

const float MISS = 1e20;

float enter_sphere(vec3 center, float radius, Ray ray, out vec3 normal) {
    vec3 to = ray.origin - center;
    float b = dot(to, ray.direction);
    vec3 nearest = to - b * ray.direction;
    float h = radius * radius - dot(nearest, nearest);
    normal = vec3(0.0);
    if (h < 0.0) return MISS;
    float t = -b - sqrt(h);
    normal = (to + t * ray.direction) / radius;
    return t;
}

// Distance at which a ray enters the round cone, or MISS. The shape is convex, so there is one entry: on the side or an end.
float enter_round_cone(RoundCone cone, Ray ray, out vec3 normal) {
    vec3 axis = cone.b - cone.a;
    float len = length(axis);
    vec3 u = axis / max(len, 1e-9);
    float s = clamp((cone.ra - cone.rb) / max(len, 1e-9), -1.0, 1.0);
    float c2 = 1.0 - s * s;
    // Start near the cone: distant origins would lose precision.
    float ahead = dot(cone.a + 0.5 * axis - ray.origin, ray.direction);
    vec3 o = ray.origin + ahead * ray.direction - cone.a;
    float oy = dot(o, u), dy = dot(ray.direction, u);
    // The side is where c rho = ra - s y, with y along the axis and rho across: squared, a quadratic in t.
    float qa = c2 - dy * dy;
    float qb = c2 * dot(o, ray.direction) - oy * dy + cone.ra * s * dy;
    float qc = c2 * dot(o, o) - oy * oy + 2.0 * cone.ra * s * oy - cone.ra * cone.ra;
    float h = qb * qb - qa * qc;
    if (h >= 0.0 && abs(qa) > 1e-9) {
        float t = (-qb - sqrt(h)) / qa; // the root at which the quadratic falls: entering
        float y = oy + t * dy;
        if (y > cone.ra * s && y < len + cone.rb * s) {
            normal = (c2 * (o + t * ray.direction) - (y - cone.ra * s) * u) / (cone.ra - s * y); // of length 1
            return ahead + t;
        }
    }
    Ray near = Ray(o + cone.a, ray.direction);
    vec3 other;
    float t = enter_sphere(cone.a, cone.ra, near, normal);
    float t_b = enter_sphere(cone.b, cone.rb, near, other);
    if (t_b < t) { t = t_b; normal = other; }
    return t < MISS ? ahead + t : MISS;
}
