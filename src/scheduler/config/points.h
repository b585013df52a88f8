#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace proa::scheduler {

// The extension points as configurations name them. They are finer than our interfaces: a
// FilterPlugin is at kPreFilter and kFilter, a ScorePlugin at kPreScore and kScore. In upstream's
// order, which decides which error is reported first.
enum class Point : uint8_t {
  kPreFilter,
  kFilter,
  kPostFilter,
  kReserve,
  kPreScore,
  kScore,
  kPreBind,
  kBind,
  kPostBind,
  kPermit,
  kPreEnqueue,
  kQueueSort,
  kPlacementGenerate,  // of pod groups, like the next; no plugin implements it
  kPlacementScore,
};

struct PointName {
  Point point;
  std::string_view field;      // in a configuration: "preFilter"
  std::string_view interface;  // in messages: "PreFilterPlugin"
};

inline constexpr std::array<PointName, 14> kPoints = {{
    {Point::kPreFilter, "preFilter", "PreFilterPlugin"},
    {Point::kFilter, "filter", "FilterPlugin"},
    {Point::kPostFilter, "postFilter", "PostFilterPlugin"},
    {Point::kReserve, "reserve", "ReservePlugin"},
    {Point::kPreScore, "preScore", "PreScorePlugin"},
    {Point::kScore, "score", "ScorePlugin"},
    {Point::kPreBind, "preBind", "PreBindPlugin"},
    {Point::kBind, "bind", "BindPlugin"},
    {Point::kPostBind, "postBind", "PostBindPlugin"},
    {Point::kPermit, "permit", "PermitPlugin"},
    {Point::kPreEnqueue, "preEnqueue", "PreEnqueuePlugin"},
    {Point::kQueueSort, "queueSort", "QueueSortPlugin"},
    {Point::kPlacementGenerate, "placementGenerate", "PlacementGeneratePlugin"},
    {Point::kPlacementScore, "placementScore", "PlacementScorePlugin"},
}};

// A value per extension point.
template <typename T>
class PerPoint {
 public:
  T& operator[](Point point) { return all_[static_cast<size_t>(point)]; }
  const T& operator[](Point point) const { return all_[static_cast<size_t>(point)]; }
  bool operator==(const PerPoint&) const = default;

 private:
  std::array<T, kPoints.size()> all_ = {};
};

// The extension points that a plugin implements.
struct PluginPoints {
  std::string name = {};
  PerPoint<bool> at = {};
};

}  // namespace proa::scheduler
