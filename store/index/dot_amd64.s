#include "textflag.h"

// func dots(query, rows *int8, n int, out *int32, count int)
//
// For each of count rows of n bytes out gets the product of the row with the
// query. n is a multiple of 16. Sixteen bytes at a time become words, whose
// products are added in pairs; two sums keep the units busy.
TEXT ·dots(SB), NOSPLIT, $0-40
	MOVQ query+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ out+24(FP), DX
	MOVQ count+32(FP), R8

row:
	TESTQ R8, R8
	JZ    done
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ  SI, R9
	MOVQ  CX, R10

pair:
	CMPQ      R10, $32
	JLT       rest
	VPMOVSXBW (R9), Y2
	VPMOVSXBW (DI), Y3
	VPMADDWD  Y2, Y3, Y2
	VPADDD    Y2, Y0, Y0
	VPMOVSXBW 16(R9), Y4
	VPMOVSXBW 16(DI), Y5
	VPMADDWD  Y4, Y5, Y4
	VPADDD    Y4, Y1, Y1
	ADDQ      $32, R9
	ADDQ      $32, DI
	SUBQ      $32, R10
	JMP       pair

rest:
	TESTQ     R10, R10
	JZ        sum
	VPMOVSXBW (R9), Y2
	VPMOVSXBW (DI), Y3
	VPMADDWD  Y2, Y3, Y2
	VPADDD    Y2, Y0, Y0
	ADDQ      $16, DI

sum:
	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, AX
	MOVL         AX, (DX)
	ADDQ         $4, DX
	DECQ         R8
	JMP          row

done:
	VZEROUPPER
	RET
