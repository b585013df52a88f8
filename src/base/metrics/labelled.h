#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/metrics/metrics.h"
#include "base/text/seeded_hash.h"
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
    std::vector<const typename Series::value_type*> sorted;
    sorted.reserve(series_.size());
    for (const auto& series : series_) sorted.push_back(&series);
    std::ranges::sort(
        sorted, {}, [](const auto* series) -> const auto& { return series->first; });
    for (const auto* series : sorted) {
      const std::vector<std::string_view> values(series->first.begin(), series->first.end());
      if constexpr (std::is_same_v<Metric, Histogram>) {
        text.add(values, *series->second);
      } else {
        text.add(values, series->second->value());
      }
    }
  }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(const auto& values) const {
      size_t hash = 0;
      for (const auto& value : values) hash = 31 * hash + seeded_hash(value);
      return hash;
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const auto& left, const auto& right) const {
      return std::ranges::equal(left, right);
    }
  };
  using Series = std::unordered_map<std::vector<std::string>, std::unique_ptr<Metric>, Hash, Equal>;

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
  Series series_ GUARDED_BY(mutex_);
};

}  // namespace proa
