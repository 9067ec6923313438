package index

// plainProducts is what products does, without the processor's help.
func plainProducts(query, rows []int8, out []int32) {
	n := len(query)
	for i := range out {
		out[i] = dot(query, rows[i*n:(i+1)*n:(i+1)*n])
	}
}

// dot is the product of two packed vectors of one length. Four sums at a time
// keep the processor's units busy.
func dot(a, b []int8) int32 {
	var s0, s1, s2, s3 int32
	for len(a) >= 8 && len(b) >= 8 {
		s0 += int32(a[0])*int32(b[0]) + int32(a[4])*int32(b[4])
		s1 += int32(a[1])*int32(b[1]) + int32(a[5])*int32(b[5])
		s2 += int32(a[2])*int32(b[2]) + int32(a[6])*int32(b[6])
		s3 += int32(a[3])*int32(b[3]) + int32(a[7])*int32(b[7])
		a, b = a[8:], b[8:]
	}
	for i := range a {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}
