package app_test
import ("testing";"syscall";"time";"paraph/app/apptest")
func TestZZCost(t *testing.T){
 cpu:=func()time.Duration{var r,c syscall.Rusage; syscall.Getrusage(0,&r); syscall.Getrusage(-1,&c); return time.Duration(r.Utime.Nano()+r.Stime.Nano()+c.Utime.Nano()+c.Stime.Nano())}
 for _, n := range []int{1,10,10} { b:=cpu(); w:=time.Now(); for range n { s,err:=apptest.Start(); if err!=nil{t.Fatal(err)}; if err:=s.Close();err!=nil{t.Fatal(err)} }; t.Log("New", n, (cpu()-b)/time.Duration(n), time.Since(w)/time.Duration(n)) }
 s:=apptest.New(t); b:=cpu(); for range 10 { s.Company(t) }; t.Log("Company",(cpu()-b)/10)
}
