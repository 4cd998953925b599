vec3 background_at(vec2 pixel) {
    return mix(background_bottom.rgb, background_top.rgb, smoothstep(0.0, 1.0, pixel.y * viewport.w));
}
