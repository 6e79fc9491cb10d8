/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_COLOR_CSS_H
#define NVTXH_TEST_COLOR_CSS_H

/*
 * The named colours of CSS, from the X11 colour table with the values of CSS where the two differ,
 * so that nvtxh/core/color_names.h is compared with an independent source.
 */
/* clang-format off */
#define CSS_COLORS(C) \
    C(aliceblue, ALICEBLUE, 0xf0f8ff) C(antiquewhite, ANTIQUEWHITE, 0xfaebd7) \
    C(aqua, AQUA, 0x00ffff) C(aquamarine, AQUAMARINE, 0x7fffd4) C(azure, AZURE, 0xf0ffff) \
    C(beige, BEIGE, 0xf5f5dc) C(bisque, BISQUE, 0xffe4c4) C(black, BLACK, 0x000000) \
    C(blanchedalmond, BLANCHEDALMOND, 0xffebcd) C(blue, BLUE, 0x0000ff) \
    C(blueviolet, BLUEVIOLET, 0x8a2be2) C(brown, BROWN, 0xa52a2a) \
    C(burlywood, BURLYWOOD, 0xdeb887) C(cadetblue, CADETBLUE, 0x5f9ea0) \
    C(chartreuse, CHARTREUSE, 0x7fff00) C(chocolate, CHOCOLATE, 0xd2691e) \
    C(coral, CORAL, 0xff7f50) C(cornflowerblue, CORNFLOWERBLUE, 0x6495ed) \
    C(cornsilk, CORNSILK, 0xfff8dc) C(crimson, CRIMSON, 0xdc143c) C(cyan, CYAN, 0x00ffff) \
    C(darkblue, DARKBLUE, 0x00008b) C(darkcyan, DARKCYAN, 0x008b8b) \
    C(darkgoldenrod, DARKGOLDENROD, 0xb8860b) C(darkgray, DARKGRAY, 0xa9a9a9) \
    C(darkgreen, DARKGREEN, 0x006400) C(darkgrey, DARKGREY, 0xa9a9a9) \
    C(darkkhaki, DARKKHAKI, 0xbdb76b) C(darkmagenta, DARKMAGENTA, 0x8b008b) \
    C(darkolivegreen, DARKOLIVEGREEN, 0x556b2f) C(darkorange, DARKORANGE, 0xff8c00) \
    C(darkorchid, DARKORCHID, 0x9932cc) C(darkred, DARKRED, 0x8b0000) \
    C(darksalmon, DARKSALMON, 0xe9967a) C(darkseagreen, DARKSEAGREEN, 0x8fbc8f) \
    C(darkslateblue, DARKSLATEBLUE, 0x483d8b) C(darkslategray, DARKSLATEGRAY, 0x2f4f4f) \
    C(darkslategrey, DARKSLATEGREY, 0x2f4f4f) C(darkturquoise, DARKTURQUOISE, 0x00ced1) \
    C(darkviolet, DARKVIOLET, 0x9400d3) C(deeppink, DEEPPINK, 0xff1493) \
    C(deepskyblue, DEEPSKYBLUE, 0x00bfff) C(dimgray, DIMGRAY, 0x696969) \
    C(dimgrey, DIMGREY, 0x696969) C(dodgerblue, DODGERBLUE, 0x1e90ff) \
    C(firebrick, FIREBRICK, 0xb22222) C(floralwhite, FLORALWHITE, 0xfffaf0) \
    C(forestgreen, FORESTGREEN, 0x228b22) C(fuchsia, FUCHSIA, 0xff00ff) \
    C(gainsboro, GAINSBORO, 0xdcdcdc) C(ghostwhite, GHOSTWHITE, 0xf8f8ff) C(gold, GOLD, 0xffd700) \
    C(goldenrod, GOLDENROD, 0xdaa520) C(gray, GRAY, 0x808080) C(green, GREEN, 0x008000) \
    C(greenyellow, GREENYELLOW, 0xadff2f) C(grey, GREY, 0x808080) C(honeydew, HONEYDEW, 0xf0fff0) \
    C(hotpink, HOTPINK, 0xff69b4) C(indianred, INDIANRED, 0xcd5c5c) C(indigo, INDIGO, 0x4b0082) \
    C(ivory, IVORY, 0xfffff0) C(khaki, KHAKI, 0xf0e68c) C(lavender, LAVENDER, 0xe6e6fa) \
    C(lavenderblush, LAVENDERBLUSH, 0xfff0f5) C(lawngreen, LAWNGREEN, 0x7cfc00) \
    C(lemonchiffon, LEMONCHIFFON, 0xfffacd) C(lightblue, LIGHTBLUE, 0xadd8e6) \
    C(lightcoral, LIGHTCORAL, 0xf08080) C(lightcyan, LIGHTCYAN, 0xe0ffff) \
    C(lightgoldenrodyellow, LIGHTGOLDENRODYELLOW, 0xfafad2) C(lightgray, LIGHTGRAY, 0xd3d3d3) \
    C(lightgreen, LIGHTGREEN, 0x90ee90) C(lightgrey, LIGHTGREY, 0xd3d3d3) \
    C(lightpink, LIGHTPINK, 0xffb6c1) C(lightsalmon, LIGHTSALMON, 0xffa07a) \
    C(lightseagreen, LIGHTSEAGREEN, 0x20b2aa) C(lightskyblue, LIGHTSKYBLUE, 0x87cefa) \
    C(lightslategray, LIGHTSLATEGRAY, 0x778899) C(lightslategrey, LIGHTSLATEGREY, 0x778899) \
    C(lightsteelblue, LIGHTSTEELBLUE, 0xb0c4de) C(lightyellow, LIGHTYELLOW, 0xffffe0) \
    C(lime, LIME, 0x00ff00) C(limegreen, LIMEGREEN, 0x32cd32) C(linen, LINEN, 0xfaf0e6) \
    C(magenta, MAGENTA, 0xff00ff) C(maroon, MAROON, 0x800000) \
    C(mediumaquamarine, MEDIUMAQUAMARINE, 0x66cdaa) C(mediumblue, MEDIUMBLUE, 0x0000cd) \
    C(mediumorchid, MEDIUMORCHID, 0xba55d3) C(mediumpurple, MEDIUMPURPLE, 0x9370db) \
    C(mediumseagreen, MEDIUMSEAGREEN, 0x3cb371) C(mediumslateblue, MEDIUMSLATEBLUE, 0x7b68ee) \
    C(mediumspringgreen, MEDIUMSPRINGGREEN, 0x00fa9a) \
    C(mediumturquoise, MEDIUMTURQUOISE, 0x48d1cc) C(mediumvioletred, MEDIUMVIOLETRED, 0xc71585) \
    C(midnightblue, MIDNIGHTBLUE, 0x191970) C(mintcream, MINTCREAM, 0xf5fffa) \
    C(mistyrose, MISTYROSE, 0xffe4e1) C(moccasin, MOCCASIN, 0xffe4b5) \
    C(navajowhite, NAVAJOWHITE, 0xffdead) C(navy, NAVY, 0x000080) C(oldlace, OLDLACE, 0xfdf5e6) \
    C(olive, OLIVE, 0x808000) C(olivedrab, OLIVEDRAB, 0x6b8e23) C(orange, ORANGE, 0xffa500) \
    C(orangered, ORANGERED, 0xff4500) C(orchid, ORCHID, 0xda70d6) \
    C(palegoldenrod, PALEGOLDENROD, 0xeee8aa) C(palegreen, PALEGREEN, 0x98fb98) \
    C(paleturquoise, PALETURQUOISE, 0xafeeee) C(palevioletred, PALEVIOLETRED, 0xdb7093) \
    C(papayawhip, PAPAYAWHIP, 0xffefd5) C(peachpuff, PEACHPUFF, 0xffdab9) C(peru, PERU, 0xcd853f) \
    C(pink, PINK, 0xffc0cb) C(plum, PLUM, 0xdda0dd) C(powderblue, POWDERBLUE, 0xb0e0e6) \
    C(purple, PURPLE, 0x800080) C(rebeccapurple, REBECCAPURPLE, 0x663399) C(red, RED, 0xff0000) \
    C(rosybrown, ROSYBROWN, 0xbc8f8f) C(royalblue, ROYALBLUE, 0x4169e1) \
    C(saddlebrown, SADDLEBROWN, 0x8b4513) C(salmon, SALMON, 0xfa8072) \
    C(sandybrown, SANDYBROWN, 0xf4a460) C(seagreen, SEAGREEN, 0x2e8b57) \
    C(seashell, SEASHELL, 0xfff5ee) C(sienna, SIENNA, 0xa0522d) C(silver, SILVER, 0xc0c0c0) \
    C(skyblue, SKYBLUE, 0x87ceeb) C(slateblue, SLATEBLUE, 0x6a5acd) \
    C(slategray, SLATEGRAY, 0x708090) C(slategrey, SLATEGREY, 0x708090) C(snow, SNOW, 0xfffafa) \
    C(springgreen, SPRINGGREEN, 0x00ff7f) C(steelblue, STEELBLUE, 0x4682b4) C(tan, TAN, 0xd2b48c) \
    C(teal, TEAL, 0x008080) C(thistle, THISTLE, 0xd8bfd8) C(tomato, TOMATO, 0xff6347) \
    C(turquoise, TURQUOISE, 0x40e0d0) C(violet, VIOLET, 0xee82ee) C(wheat, WHEAT, 0xf5deb3) \
    C(white, WHITE, 0xffffff) C(whitesmoke, WHITESMOKE, 0xf5f5f5) C(yellow, YELLOW, 0xffff00) \
    C(yellowgreen, YELLOWGREEN, 0x9acd32)
/* clang-format on */

#endif
