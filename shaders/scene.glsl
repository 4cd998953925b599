// What every program knows about the picture. Mirrored by crates/viewer/src/raster/scene_block.rs (std140).
layout(std140) uniform Scene {
    mat4 view_projection;    // world -> clip
    mat4 shadow_projection;  // world -> clip of the shadow map, along the lamp's rays onto the floor
    vec4 origin;             // the ray through pixel (x, y) starts at origin + x * origin_x + y * origin_y
    vec4 origin_x;
    vec4 origin_y;
    vec4 direction;          // with direction + x * direction_x + y * direction_y
    vec4 direction_x;
    vec4 direction_y;
    vec4 eye;                // xyz; w: 1 when the projection is orthographic
    vec4 light;              // xyz: toward the lamp
    vec4 sky;                // linear light from above
    vec4 ground;             // linear light from below
    vec4 key;                // linear light of the lamp
    vec4 background_top;
    vec4 background_bottom;
    vec4 viewport;           // width, height, 1 / width, 1 / height
    vec4 raster;             // x: pixels per logical pixel; y: size of a shadow texel in the world; z: height of the floor;
                             // w: radius of the sphere around shadow casters
};

struct Ray { vec3 origin; vec3 direction; };

Ray ray_through(vec2 pixel) {
    return Ray(origin.xyz + pixel.x * origin_x.xyz + pixel.y * origin_y.xyz,
               normalize(direction.xyz + pixel.x * direction_x.xyz + pixel.y * direction_y.xyz));
}

// Window depth of a point, 0 near, 1 far.
float depth_of(vec3 point) {
    vec4 clip = view_projection * vec4(point, 1.0);
    return clip.z / clip.w * 0.5 + 0.5;
}

vec4 clip_of_pixel(vec2 pixel) {
    return vec4(pixel * viewport.zw * 2.0 - 1.0, 0.0, 1.0);
}

vec3 linear_of_srgb(vec3 c) {
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), vec3(greaterThan(c, vec3(0.04045))));
}
