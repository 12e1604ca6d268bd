// The steps of fit(), and their helper functions.
#pragma once

#include "faces/calibrate/fit.h"

namespace drywarp::calibrate {

void fit_operations(const RawResults& raw, Calibration& out);
void fit_memory(const RawResults& raw, Calibration& out);
void fit_control(const RawResults& raw, Calibration& out);
void fit_counters(const RawResults& raw, Calibration& out);
void fit_device(const RawResults& raw, Calibration& out);

void set(Calibration& out, std::string path, double value, Evidence evidence = Evidence::Measured);
// Sets the number if there is a value; else reports that `needs` is missing.
void set_or_miss(Calibration& out, std::string path, std::optional<double> value, const char* needs,
                 Evidence evidence = Evidence::Measured);

[[nodiscard]] double snapped_to_power_of_two(double cycles);
[[nodiscard]] double rounded(double value, int digits);                  // to significant digits
[[nodiscard]] std::optional<double> whole(std::optional<double> value);  // to the nearest integer
[[nodiscard]] std::optional<double> mean(const std::vector<Point>& points);
[[nodiscard]] std::optional<double> median(std::vector<double> values);
// The slope of y over x, by least squares.
[[nodiscard]] std::optional<double> slope(const std::vector<Point>& points);
// The x of the last point before the first y at or above `limit`.
[[nodiscard]] std::optional<double> last_below(const std::vector<Point>& points, double limit);
// The x of the first y at or above `limit`.
[[nodiscard]] std::optional<double> first_above(const std::vector<Point>& points, double limit);
[[nodiscard]] std::optional<double> lowest(const std::vector<Point>& points);
[[nodiscard]] std::optional<double> highest(const std::vector<Point>& points);

}  // namespace drywarp::calibrate
