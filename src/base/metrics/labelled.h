#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/metrics/metrics.h"
#include "base/threads/mutex.h"

namespace proa {

// The metrics of a family whose label values are names that users choose, such as those of objects:
// there may be any number of them over time, but only so many are kept. Those that come later are
// counted together, as "other". Thread-safe; values that are known cost a lock and a lookup.
template <typename Metric>
class Labelled {
 public:
  // More than a cluster has, of whatever it is.
  static constexpr size_t kMost = 4096;

  explicit Labelled(const MetricFamily& family, size_t most = kMost)
      : family_(family), most_(most) {}

  // REQUIRES: values for all labels of the family. The metric lives as long as this.
  Metric& at(std::initializer_list<std::string_view> values) EXCLUDES(mutex_) {
    const std::span<const std::string_view> wanted(values.begin(), values.size());
    MutexLock lock(mutex_);
    if (const auto found = series_.find(wanted); found != series_.end()) return *found->second;
    std::vector<std::string> key(wanted.begin(), wanted.end());
    if (series_.size() >= most_) key.assign(wanted.size(), "other");
    std::unique_ptr<Metric>& made = series_[std::move(key)];
    if (made == nullptr) made = make();
    return *made;
  }

  void write(MetricsText& text) const EXCLUDES(mutex_) {
    text.begin(family_);
    MutexLock lock(mutex_);
    for (const auto& [key, metric] : series_) {
      const std::vector<std::string_view> values(key.begin(), key.end());
      if constexpr (std::is_same_v<Metric, Histogram>) {
        text.add(values, *metric);
      } else {
        text.add(values, metric->value());
      }
    }
  }

 private:
  struct Less {
    using is_transparent = void;
    bool operator()(const auto& left, const auto& right) const {
      return std::ranges::lexicographical_compare(left, right, [](const auto& a, const auto& b) {
        return std::string_view(a) < std::string_view(b);
      });
    }
  };

  std::unique_ptr<Metric> make() const {
    if constexpr (std::is_same_v<Metric, Histogram>) {
      return std::make_unique<Histogram>(family_.bounds, family_.precision);
    } else {
      return std::make_unique<Metric>();
    }
  }

  const MetricFamily& family_;
  const size_t most_;
  mutable Mutex mutex_;
  std::map<std::vector<std::string>, std::unique_ptr<Metric>, Less> series_ GUARDED_BY(mutex_);
};

}  // namespace proa
