// Shading: a lamp with shadows, light from sky and ground, and a slight reflection.
uniform sampler2DShadow shadow_map;

// Share of the lamp's light that reaches a point, 0..1.
float lamp_at(vec3 point, vec3 normal) {
    vec4 clip = shadow_projection * vec4(point + normal * (raster.y * 2.0), 1.0);
    vec3 place = clip.xyz * 0.5 + 0.5;
    place.z -= 0.0008;
#ifdef FINE
    // Taps along a spiral, rotated per pixel.
    const float TAPS = 12.0;
    float turn = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    vec2 texel = 2.5 / vec2(textureSize(shadow_map, 0));
    float sum = 0.0;
    for (float tap = 0.5; tap < TAPS; tap += 1.0) {
        float angle = 2.3999632 * tap + turn;
        vec2 offset = sqrt(tap / TAPS) * vec2(cos(angle), sin(angle));
        sum += texture(shadow_map, vec3(place.xy + texel * offset, place.z));
    }
    return sum / TAPS;
#else
    return texture(shadow_map, place); // interpolates four texels
#endif
}

vec3 shade(vec3 point, vec3 normal, vec3 to_eye, vec3 albedo, float roughness, float glow) {
    float facing = dot(normal, light.xyz);
    float lamp = lamp_at(point, normal);
    float wrapped = clamp((facing + 0.25) / 1.25, 0.0, 1.0);
    float up = normal.y * 0.5 + 0.5;
    float open = mix(smoothstep(-0.07, 0.3, (point.y - raster.z) / raster.w), 1.0, up) * 0.6 + 0.4; // the floor blocks light
    vec3 ambient = mix(ground.rgb, sky.rgb, up) * open;
    vec3 color = albedo * (ambient + key.rgb * wrapped * wrapped * lamp);

    float grazing = 1.0 - clamp(dot(normal, to_eye), 0.0, 1.0);
    float grazing2 = grazing * grazing;
    float fresnel = 0.04 + 0.96 * grazing2 * grazing2 * grazing;
    vec3 mirrored = reflect(-to_eye, normal);
    vec3 around = mix(ground.rgb * 0.6, sky.rgb * 1.6, smoothstep(-0.25, 0.75, mirrored.y));
    color += fresnel * around * open * (1.0 - 0.75 * roughness);

    vec3 half_way = normalize(light.xyz + to_eye);
    float a = max(roughness * roughness, 0.02);
    float n = clamp(dot(normal, half_way), 0.0, 1.0);
    float lobe = n * n * (a * a - 1.0) + 1.0;
    float highlight = 0.04 * a * a / (lobe * lobe) * (0.25 / (0.1 + a));
    color += key.rgb * highlight * clamp(facing * 4.0, 0.0, 1.0) * lamp;
    return color + albedo * glow;
}

// A translucent surface is more opaque at grazing angles, like a thin shell.
vec4 with_alpha(vec3 color, float alpha, vec3 normal, vec3 to_eye) {
    if (alpha > 0.999) return vec4(color, 1.0);
    float grazing = 1.0 - clamp(dot(normal, to_eye), 0.0, 1.0);
    alpha = min(1.0, alpha * (0.4 + 1.4 * grazing * grazing));
    return vec4(color * alpha, alpha);
}

// Depth offset of translucent things, which avoids z-fighting between a ghost and what it coincides with.
float sunk(float alpha, float radius) { return alpha > 0.999 ? 0.0 : 0.03 * radius; }
