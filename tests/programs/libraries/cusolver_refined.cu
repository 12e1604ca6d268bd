// cuSOLVER's solvers with refinement: A X = B, with A left as it is.
// RUN: -lcusolver
// EXPECT-STDOUT: OK
#include "solver_check.h"

namespace {

template <class T, class SizeOf, class Solve>
void check(cusolverDnHandle_t h, int n, int sides, SizeOf size_of, Solve solve) {
  const Matrix<T> a = some_matrix<T>(n, n, n + 3), x = some_matrix<T>(n, sides);
  Matrix<T> b(n, sides, n + 1), have(n, sides, n + 2);
  const Matrix<T> product = part(a, n, n) * x;
  for (int j = 0; j < sides; ++j)
    for (int i = 0; i < n; ++i) b(i, j) = product(i, j);
  const Device<T> da(a.data), db(b.data), dx(have.data);
  const Device<int> info(1), pivots{size_t(n)};
  size_t bytes = 0;
  OK(size_of(h, n, sides, da.get(), a.ld, pivots.get(), db.get(), b.ld, dx.get(), have.ld, nullptr, &bytes));
  const Device<T> work(bytes / sizeof(T) + 1);
  int iterations = -1;
  OK(solve(h, n, sides, da.get(), a.ld, pivots.get(), db.get(), b.ld, dx.get(), have.ld, work.at, bytes, &iterations,
           info.get()));
  EXPECT(info.read()[0] == 0 && iterations == 0 && da.read() == a.data && db.read() == b.data);
  NEAR(read(dx, have), x, 100);
  // A column of zeros is named.
  Matrix<T> singular = a;
  for (int i = 0; i < n; ++i) singular(i, 4) = T(0);
  const Device<T> ds(singular.data);
  OK(solve(h, n, sides, ds.get(), a.ld, pivots.get(), db.get(), b.ld, dx.get(), have.ld, work.at, bytes, &iterations,
           info.get()));
  EXPECT(info.read()[0] == 5);
}

template <class T>
void check_expert(cusolverDnHandle_t h, cusolverPrecType_t main, cusolverPrecType_t lowest) {
  constexpr int n = 21;
  const Matrix<T> a = some_matrix<T>(n, n), x = some_matrix<T>(n, 1);
  const Device<T> da(a.data), db((a * x).data), dx{size_t(n)};
  const Device<int> info(1);
  cusolverDnIRSParams_t params;
  cusolverDnIRSInfos_t infos;
  OK(cusolverDnIRSParamsCreate(&params));
  OK(cusolverDnIRSInfosCreate(&infos));
  size_t bytes = 0;
  EXPECT(cusolverDnIRSXgesv_bufferSize(h, params, n, 1, &bytes) == CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC);
  OK(cusolverDnIRSParamsSetSolverPrecisions(params, main, lowest));
  OK(cusolverDnIRSXgesv_bufferSize(h, params, n, 1, &bytes));
  const Device<T> work(bytes / sizeof(T) + 1);
  int iterations = -1;
  const auto solve = [&] {
    return cusolverDnIRSXgesv(h, params, infos, n, 1, da.at, n, db.at, n, dx.at, n, work.at, bytes, &iterations,
                              info.get());
  };
  EXPECT(solve() == CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE);
  OK(cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_GMRES));
  OK(solve());
  EXPECT(info.read()[0] == 0 && iterations == 0 && da.read() == a.data);
  NEAR(read(dx, x), x, 100);
  OK(cusolverDnIRSInfosGetNiters(infos, &iterations));
  EXPECT(iterations == 0);
  OK(cusolverDnIRSInfosDestroy(infos));
  OK(cusolverDnIRSParamsDestroy(params));
}

}  // namespace

int main() {
  cusolverDnHandle_t h;
  OK(cusolverDnCreate(&h));
  check<float>(h, 37, 2, cusolverDnSHgesv_bufferSize, cusolverDnSHgesv);
  check<double>(h, 50, 3, cusolverDnDSgesv_bufferSize, cusolverDnDSgesv);
  check<std::complex<float>>(h, 20, 1, cusolverDnCKgesv_bufferSize, cusolverDnCKgesv);
  check<std::complex<double>>(h, 33, 2, cusolverDnZCgesv_bufferSize, cusolverDnZCgesv);
  check_expert<float>(h, CUSOLVER_R_32F, CUSOLVER_R_16F);
  check_expert<std::complex<double>>(h, CUSOLVER_C_64F, CUSOLVER_C_32F);
  OK(cusolverDnDestroy(h));
  std::puts("OK");
}
