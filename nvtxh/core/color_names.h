/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_COLOR_NAMES_H
#define NVTXH_CORE_COLOR_NAMES_H

/* The 148 named colours of CSS Color Module Level 4, and `rapids` as the PyPI package nvtx has it.
 * ARGB with alpha 0xff, because tools take alpha 0 for no colour. */
#define NVTXH_ALICEBLUE 0xfff0f8ffu
#define NVTXH_ANTIQUEWHITE 0xfffaebd7u
#define NVTXH_AQUA 0xff00ffffu
#define NVTXH_AQUAMARINE 0xff7fffd4u
#define NVTXH_AZURE 0xfff0ffffu
#define NVTXH_BEIGE 0xfff5f5dcu
#define NVTXH_BISQUE 0xffffe4c4u
#define NVTXH_BLACK 0xff000000u
#define NVTXH_BLANCHEDALMOND 0xffffebcdu
#define NVTXH_BLUE 0xff0000ffu
#define NVTXH_BLUEVIOLET 0xff8a2be2u
#define NVTXH_BROWN 0xffa52a2au
#define NVTXH_BURLYWOOD 0xffdeb887u
#define NVTXH_CADETBLUE 0xff5f9ea0u
#define NVTXH_CHARTREUSE 0xff7fff00u
#define NVTXH_CHOCOLATE 0xffd2691eu
#define NVTXH_CORAL 0xffff7f50u
#define NVTXH_CORNFLOWERBLUE 0xff6495edu
#define NVTXH_CORNSILK 0xfffff8dcu
#define NVTXH_CRIMSON 0xffdc143cu
#define NVTXH_CYAN 0xff00ffffu
#define NVTXH_DARKBLUE 0xff00008bu
#define NVTXH_DARKCYAN 0xff008b8bu
#define NVTXH_DARKGOLDENROD 0xffb8860bu
#define NVTXH_DARKGRAY 0xffa9a9a9u
#define NVTXH_DARKGREEN 0xff006400u
#define NVTXH_DARKGREY 0xffa9a9a9u
#define NVTXH_DARKKHAKI 0xffbdb76bu
#define NVTXH_DARKMAGENTA 0xff8b008bu
#define NVTXH_DARKOLIVEGREEN 0xff556b2fu
#define NVTXH_DARKORANGE 0xffff8c00u
#define NVTXH_DARKORCHID 0xff9932ccu
#define NVTXH_DARKRED 0xff8b0000u
#define NVTXH_DARKSALMON 0xffe9967au
#define NVTXH_DARKSEAGREEN 0xff8fbc8fu
#define NVTXH_DARKSLATEBLUE 0xff483d8bu
#define NVTXH_DARKSLATEGRAY 0xff2f4f4fu
#define NVTXH_DARKSLATEGREY 0xff2f4f4fu
#define NVTXH_DARKTURQUOISE 0xff00ced1u
#define NVTXH_DARKVIOLET 0xff9400d3u
#define NVTXH_DEEPPINK 0xffff1493u
#define NVTXH_DEEPSKYBLUE 0xff00bfffu
#define NVTXH_DIMGRAY 0xff696969u
#define NVTXH_DIMGREY 0xff696969u
#define NVTXH_DODGERBLUE 0xff1e90ffu
#define NVTXH_FIREBRICK 0xffb22222u
#define NVTXH_FLORALWHITE 0xfffffaf0u
#define NVTXH_FORESTGREEN 0xff228b22u
#define NVTXH_FUCHSIA 0xffff00ffu
#define NVTXH_GAINSBORO 0xffdcdcdcu
#define NVTXH_GHOSTWHITE 0xfff8f8ffu
#define NVTXH_GOLD 0xffffd700u
#define NVTXH_GOLDENROD 0xffdaa520u
#define NVTXH_GRAY 0xff808080u
#define NVTXH_GREEN 0xff008000u
#define NVTXH_GREENYELLOW 0xffadff2fu
#define NVTXH_GREY 0xff808080u
#define NVTXH_HONEYDEW 0xfff0fff0u
#define NVTXH_HOTPINK 0xffff69b4u
#define NVTXH_INDIANRED 0xffcd5c5cu
#define NVTXH_INDIGO 0xff4b0082u
#define NVTXH_IVORY 0xfffffff0u
#define NVTXH_KHAKI 0xfff0e68cu
#define NVTXH_LAVENDER 0xffe6e6fau
#define NVTXH_LAVENDERBLUSH 0xfffff0f5u
#define NVTXH_LAWNGREEN 0xff7cfc00u
#define NVTXH_LEMONCHIFFON 0xfffffacdu
#define NVTXH_LIGHTBLUE 0xffadd8e6u
#define NVTXH_LIGHTCORAL 0xfff08080u
#define NVTXH_LIGHTCYAN 0xffe0ffffu
#define NVTXH_LIGHTGOLDENRODYELLOW 0xfffafad2u
#define NVTXH_LIGHTGRAY 0xffd3d3d3u
#define NVTXH_LIGHTGREEN 0xff90ee90u
#define NVTXH_LIGHTGREY 0xffd3d3d3u
#define NVTXH_LIGHTPINK 0xffffb6c1u
#define NVTXH_LIGHTSALMON 0xffffa07au
#define NVTXH_LIGHTSEAGREEN 0xff20b2aau
#define NVTXH_LIGHTSKYBLUE 0xff87cefau
#define NVTXH_LIGHTSLATEGRAY 0xff778899u
#define NVTXH_LIGHTSLATEGREY 0xff778899u
#define NVTXH_LIGHTSTEELBLUE 0xffb0c4deu
#define NVTXH_LIGHTYELLOW 0xffffffe0u
#define NVTXH_LIME 0xff00ff00u
#define NVTXH_LIMEGREEN 0xff32cd32u
#define NVTXH_LINEN 0xfffaf0e6u
#define NVTXH_MAGENTA 0xffff00ffu
#define NVTXH_MAROON 0xff800000u
#define NVTXH_MEDIUMAQUAMARINE 0xff66cdaau
#define NVTXH_MEDIUMBLUE 0xff0000cdu
#define NVTXH_MEDIUMORCHID 0xffba55d3u
#define NVTXH_MEDIUMPURPLE 0xff9370dbu
#define NVTXH_MEDIUMSEAGREEN 0xff3cb371u
#define NVTXH_MEDIUMSLATEBLUE 0xff7b68eeu
#define NVTXH_MEDIUMSPRINGGREEN 0xff00fa9au
#define NVTXH_MEDIUMTURQUOISE 0xff48d1ccu
#define NVTXH_MEDIUMVIOLETRED 0xffc71585u
#define NVTXH_MIDNIGHTBLUE 0xff191970u
#define NVTXH_MINTCREAM 0xfff5fffau
#define NVTXH_MISTYROSE 0xffffe4e1u
#define NVTXH_MOCCASIN 0xffffe4b5u
#define NVTXH_NAVAJOWHITE 0xffffdeadu
#define NVTXH_NAVY 0xff000080u
#define NVTXH_OLDLACE 0xfffdf5e6u
#define NVTXH_OLIVE 0xff808000u
#define NVTXH_OLIVEDRAB 0xff6b8e23u
#define NVTXH_ORANGE 0xffffa500u
#define NVTXH_ORANGERED 0xffff4500u
#define NVTXH_ORCHID 0xffda70d6u
#define NVTXH_PALEGOLDENROD 0xffeee8aau
#define NVTXH_PALEGREEN 0xff98fb98u
#define NVTXH_PALETURQUOISE 0xffafeeeeu
#define NVTXH_PALEVIOLETRED 0xffdb7093u
#define NVTXH_PAPAYAWHIP 0xffffefd5u
#define NVTXH_PEACHPUFF 0xffffdab9u
#define NVTXH_PERU 0xffcd853fu
#define NVTXH_PINK 0xffffc0cbu
#define NVTXH_PLUM 0xffdda0ddu
#define NVTXH_POWDERBLUE 0xffb0e0e6u
#define NVTXH_PURPLE 0xff800080u
#define NVTXH_RAPIDS 0xff7400ffu
#define NVTXH_REBECCAPURPLE 0xff663399u
#define NVTXH_RED 0xffff0000u
#define NVTXH_ROSYBROWN 0xffbc8f8fu
#define NVTXH_ROYALBLUE 0xff4169e1u
#define NVTXH_SADDLEBROWN 0xff8b4513u
#define NVTXH_SALMON 0xfffa8072u
#define NVTXH_SANDYBROWN 0xfff4a460u
#define NVTXH_SEAGREEN 0xff2e8b57u
#define NVTXH_SEASHELL 0xfffff5eeu
#define NVTXH_SIENNA 0xffa0522du
#define NVTXH_SILVER 0xffc0c0c0u
#define NVTXH_SKYBLUE 0xff87ceebu
#define NVTXH_SLATEBLUE 0xff6a5acdu
#define NVTXH_SLATEGRAY 0xff708090u
#define NVTXH_SLATEGREY 0xff708090u
#define NVTXH_SNOW 0xfffffafau
#define NVTXH_SPRINGGREEN 0xff00ff7fu
#define NVTXH_STEELBLUE 0xff4682b4u
#define NVTXH_TAN 0xffd2b48cu
#define NVTXH_TEAL 0xff008080u
#define NVTXH_THISTLE 0xffd8bfd8u
#define NVTXH_TOMATO 0xffff6347u
#define NVTXH_TURQUOISE 0xff40e0d0u
#define NVTXH_VIOLET 0xffee82eeu
#define NVTXH_WHEAT 0xfff5deb3u
#define NVTXH_WHITE 0xffffffffu
#define NVTXH_WHITESMOKE 0xfff5f5f5u
#define NVTXH_YELLOW 0xffffff00u
#define NVTXH_YELLOWGREEN 0xff9acd32u

/* Not API from here on: the same colours by name, sorted as strcmp compares, for a binary
 * search. */
/* clang-format off */
#define NVTXH_I_COLOR_NAMES(X) \
    X(aliceblue, NVTXH_ALICEBLUE) X(antiquewhite, NVTXH_ANTIQUEWHITE) X(aqua, NVTXH_AQUA) \
    X(aquamarine, NVTXH_AQUAMARINE) X(azure, NVTXH_AZURE) X(beige, NVTXH_BEIGE) \
    X(bisque, NVTXH_BISQUE) X(black, NVTXH_BLACK) X(blanchedalmond, NVTXH_BLANCHEDALMOND) \
    X(blue, NVTXH_BLUE) X(blueviolet, NVTXH_BLUEVIOLET) X(brown, NVTXH_BROWN) \
    X(burlywood, NVTXH_BURLYWOOD) X(cadetblue, NVTXH_CADETBLUE) X(chartreuse, NVTXH_CHARTREUSE) \
    X(chocolate, NVTXH_CHOCOLATE) X(coral, NVTXH_CORAL) X(cornflowerblue, NVTXH_CORNFLOWERBLUE) \
    X(cornsilk, NVTXH_CORNSILK) X(crimson, NVTXH_CRIMSON) X(cyan, NVTXH_CYAN) \
    X(darkblue, NVTXH_DARKBLUE) X(darkcyan, NVTXH_DARKCYAN) X(darkgoldenrod, NVTXH_DARKGOLDENROD) \
    X(darkgray, NVTXH_DARKGRAY) X(darkgreen, NVTXH_DARKGREEN) X(darkgrey, NVTXH_DARKGREY) \
    X(darkkhaki, NVTXH_DARKKHAKI) X(darkmagenta, NVTXH_DARKMAGENTA) \
    X(darkolivegreen, NVTXH_DARKOLIVEGREEN) X(darkorange, NVTXH_DARKORANGE) \
    X(darkorchid, NVTXH_DARKORCHID) X(darkred, NVTXH_DARKRED) X(darksalmon, NVTXH_DARKSALMON) \
    X(darkseagreen, NVTXH_DARKSEAGREEN) X(darkslateblue, NVTXH_DARKSLATEBLUE) \
    X(darkslategray, NVTXH_DARKSLATEGRAY) X(darkslategrey, NVTXH_DARKSLATEGREY) \
    X(darkturquoise, NVTXH_DARKTURQUOISE) X(darkviolet, NVTXH_DARKVIOLET) \
    X(deeppink, NVTXH_DEEPPINK) X(deepskyblue, NVTXH_DEEPSKYBLUE) X(dimgray, NVTXH_DIMGRAY) \
    X(dimgrey, NVTXH_DIMGREY) X(dodgerblue, NVTXH_DODGERBLUE) X(firebrick, NVTXH_FIREBRICK) \
    X(floralwhite, NVTXH_FLORALWHITE) X(forestgreen, NVTXH_FORESTGREEN) X(fuchsia, NVTXH_FUCHSIA) \
    X(gainsboro, NVTXH_GAINSBORO) X(ghostwhite, NVTXH_GHOSTWHITE) X(gold, NVTXH_GOLD) \
    X(goldenrod, NVTXH_GOLDENROD) X(gray, NVTXH_GRAY) X(green, NVTXH_GREEN) \
    X(greenyellow, NVTXH_GREENYELLOW) X(grey, NVTXH_GREY) X(honeydew, NVTXH_HONEYDEW) \
    X(hotpink, NVTXH_HOTPINK) X(indianred, NVTXH_INDIANRED) X(indigo, NVTXH_INDIGO) \
    X(ivory, NVTXH_IVORY) X(khaki, NVTXH_KHAKI) X(lavender, NVTXH_LAVENDER) \
    X(lavenderblush, NVTXH_LAVENDERBLUSH) X(lawngreen, NVTXH_LAWNGREEN) \
    X(lemonchiffon, NVTXH_LEMONCHIFFON) X(lightblue, NVTXH_LIGHTBLUE) \
    X(lightcoral, NVTXH_LIGHTCORAL) X(lightcyan, NVTXH_LIGHTCYAN) \
    X(lightgoldenrodyellow, NVTXH_LIGHTGOLDENRODYELLOW) X(lightgray, NVTXH_LIGHTGRAY) \
    X(lightgreen, NVTXH_LIGHTGREEN) X(lightgrey, NVTXH_LIGHTGREY) X(lightpink, NVTXH_LIGHTPINK) \
    X(lightsalmon, NVTXH_LIGHTSALMON) X(lightseagreen, NVTXH_LIGHTSEAGREEN) \
    X(lightskyblue, NVTXH_LIGHTSKYBLUE) X(lightslategray, NVTXH_LIGHTSLATEGRAY) \
    X(lightslategrey, NVTXH_LIGHTSLATEGREY) X(lightsteelblue, NVTXH_LIGHTSTEELBLUE) \
    X(lightyellow, NVTXH_LIGHTYELLOW) X(lime, NVTXH_LIME) X(limegreen, NVTXH_LIMEGREEN) \
    X(linen, NVTXH_LINEN) X(magenta, NVTXH_MAGENTA) X(maroon, NVTXH_MAROON) \
    X(mediumaquamarine, NVTXH_MEDIUMAQUAMARINE) X(mediumblue, NVTXH_MEDIUMBLUE) \
    X(mediumorchid, NVTXH_MEDIUMORCHID) X(mediumpurple, NVTXH_MEDIUMPURPLE) \
    X(mediumseagreen, NVTXH_MEDIUMSEAGREEN) X(mediumslateblue, NVTXH_MEDIUMSLATEBLUE) \
    X(mediumspringgreen, NVTXH_MEDIUMSPRINGGREEN) X(mediumturquoise, NVTXH_MEDIUMTURQUOISE) \
    X(mediumvioletred, NVTXH_MEDIUMVIOLETRED) X(midnightblue, NVTXH_MIDNIGHTBLUE) \
    X(mintcream, NVTXH_MINTCREAM) X(mistyrose, NVTXH_MISTYROSE) X(moccasin, NVTXH_MOCCASIN) \
    X(navajowhite, NVTXH_NAVAJOWHITE) X(navy, NVTXH_NAVY) X(oldlace, NVTXH_OLDLACE) \
    X(olive, NVTXH_OLIVE) X(olivedrab, NVTXH_OLIVEDRAB) X(orange, NVTXH_ORANGE) \
    X(orangered, NVTXH_ORANGERED) X(orchid, NVTXH_ORCHID) X(palegoldenrod, NVTXH_PALEGOLDENROD) \
    X(palegreen, NVTXH_PALEGREEN) X(paleturquoise, NVTXH_PALETURQUOISE) \
    X(palevioletred, NVTXH_PALEVIOLETRED) X(papayawhip, NVTXH_PAPAYAWHIP) \
    X(peachpuff, NVTXH_PEACHPUFF) X(peru, NVTXH_PERU) X(pink, NVTXH_PINK) X(plum, NVTXH_PLUM) \
    X(powderblue, NVTXH_POWDERBLUE) X(purple, NVTXH_PURPLE) X(rapids, NVTXH_RAPIDS) \
    X(rebeccapurple, NVTXH_REBECCAPURPLE) X(red, NVTXH_RED) X(rosybrown, NVTXH_ROSYBROWN) \
    X(royalblue, NVTXH_ROYALBLUE) X(saddlebrown, NVTXH_SADDLEBROWN) X(salmon, NVTXH_SALMON) \
    X(sandybrown, NVTXH_SANDYBROWN) X(seagreen, NVTXH_SEAGREEN) X(seashell, NVTXH_SEASHELL) \
    X(sienna, NVTXH_SIENNA) X(silver, NVTXH_SILVER) X(skyblue, NVTXH_SKYBLUE) \
    X(slateblue, NVTXH_SLATEBLUE) X(slategray, NVTXH_SLATEGRAY) X(slategrey, NVTXH_SLATEGREY) \
    X(snow, NVTXH_SNOW) X(springgreen, NVTXH_SPRINGGREEN) X(steelblue, NVTXH_STEELBLUE) \
    X(tab:blue, 0xff1f77b4u) X(tab:brown, 0xff8c564bu) X(tab:cyan, 0xff17becfu) \
    X(tab:gray, 0xff7f7f7fu) X(tab:green, 0xff2ca02cu) X(tab:grey, 0xff7f7f7fu) \
    X(tab:olive, 0xffbcbd22u) X(tab:orange, 0xffff7f0eu) X(tab:pink, 0xffe377c2u) \
    X(tab:purple, 0xff9467bdu) X(tab:red, 0xffd62728u) X(tan, NVTXH_TAN) X(teal, NVTXH_TEAL) \
    X(thistle, NVTXH_THISTLE) X(tomato, NVTXH_TOMATO) X(turquoise, NVTXH_TURQUOISE) \
    X(violet, NVTXH_VIOLET) X(wheat, NVTXH_WHEAT) X(white, NVTXH_WHITE) \
    X(whitesmoke, NVTXH_WHITESMOKE) X(yellow, NVTXH_YELLOW) X(yellowgreen, NVTXH_YELLOWGREEN)
/* clang-format on */

#endif
