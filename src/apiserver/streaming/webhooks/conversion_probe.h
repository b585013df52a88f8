#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/limits/log_limit.h"
#include "base/metrics/labelled.h"
#include "base/status.h"

namespace proa::apiserver {

// How far a conversion by webhook came: where one ends is where it failed.
enum class ConversionStage : uint8_t {
  kPreparing,  // nothing was sent
  kCalling,
  kReading,   // the answer
  kCounting,  // the objects of the answer
  kChecking,  // each of them
  kDone,
};

// Counts conversions by webhook, in metrics with upstream's names, and logs those that fail.
// Thread-safe.
class ConversionProbe {
 public:
  ConversionProbe();

  struct Conversion {
    std::string_view definition;  // "ships.example.com"
    std::string_view from;        // "example.com/v1"
    std::string_view to;
    ConversionStage reached = ConversionStage::kPreparing;
    Duration took{0};
  };
  // `failure`: null if it succeeded.
  void end(const Conversion& conversion, const Status* failure);
  void write(MetricsText& text) const;

 private:
  SystemClock clock_;
  // A webhook may fail for every request.
  LogLimit failures_{clock_, 5, std::chrono::seconds(10)};
  Labelled<Counter> requests_;
  Labelled<Histogram> request_seconds_;
  Labelled<Histogram> conversion_seconds_;
};

}  // namespace proa::apiserver
