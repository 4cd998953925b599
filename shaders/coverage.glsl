// Edges of ray-cast shapes. `outside` is the distance from this pixel's ray to the shape, negative where it hits.
// With multisampling, the edge is extrapolated to each sample by its screen-space derivatives, so that it is as smooth as
// a polygon's. The order of the samples matters only where two edges meet in one pixel.
void cover(float outside) {
#if defined(MULTISAMPLED) && defined(GL_ARB_sample_shading)
    vec2 slope = vec2(dFdx(outside), dFdy(outside));
    vec4 there = outside + vec4(dot(slope, vec2(-0.125, -0.375)), dot(slope, vec2(0.375, -0.125)),
                                dot(slope, vec2(-0.375, 0.125)), dot(slope, vec2(0.125, 0.375)));
    ivec4 inside = ivec4(lessThan(there, vec4(0.0)));
    int mask = inside.x | inside.y << 1 | inside.z << 2 | inside.w << 3;
    if (mask == 0) discard;
    gl_SampleMask[0] = mask;
#else
    if (outside > 0.0) discard;
#endif
}
