#include "scheduler/plugins/resources/scoring.h"

#include <cmath>

namespace proa::scheduler {

namespace scoring {

using Kind = ScoredResource::Kind;

Kind kind_of(std::string_view name, bool with_defaults) {
  if (name == "cpu") return with_defaults ? Kind::kScoredCpu : Kind::kCpu;
  if (name == "memory") return with_defaults ? Kind::kScoredMemory : Kind::kMemory;
  if (name == "ephemeral-storage") return Kind::kEphemeralStorage;
  return Kind::kOther;
}

// LeastAllocated and MostAllocated. The rule is a parameter of the type, so that it is inlined:
// this runs for every node that may take a pod.
template <int64_t (*kRule)(int64_t requested, int64_t capacity)>
class MeanScorer final : public NodeScorer {
 public:
  explicit MeanScorer(std::vector<ScoredResource> resources) : resources_(std::move(resources)) {}

  int64_t score(NodeIndex, const Node& node) override {
    int64_t sum = 0;
    int64_t weights = 0;
    for (const ScoredResource& resource : resources_) {
      const int64_t capacity = resource.allocatable(node);
      if (capacity == 0) continue;
      sum += kRule(resource.allocated(node) + resource.request, capacity) * resource.weight;
      weights += resource.weight;
    }
    return weights == 0 ? 0 : sum / weights;
  }

 private:
  const std::vector<ScoredResource> resources_;
};

// RequestedToCapacityRatio. Unlike the others it rounds, and leaves out what scores nothing.
class LineScorer final : public NodeScorer {
 public:
  LineScorer(std::vector<ScoredResource> resources, std::vector<ShapePoint> line)
      : resources_(std::move(resources)), line_(std::move(line)) {}

  int64_t score(NodeIndex, const Node& node) override {
    int64_t sum = 0;
    int64_t weights = 0;
    for (const ScoredResource& resource : resources_) {
      const int64_t capacity = resource.allocatable(node);
      if (capacity == 0) continue;
      const int64_t requested = resource.allocated(node) + resource.request;
      const int64_t percent = requested > capacity ? 100 : requested * 100 / capacity;
      const int64_t score = score_on_line(line_, percent);
      if (score <= 0) continue;
      sum += score * resource.weight;
      weights += resource.weight;
    }
    if (weights == 0) return 0;
    return std::llround(static_cast<double>(sum) / static_cast<double>(weights));
  }

 private:
  const std::vector<ScoredResource> resources_;
  const std::vector<ShapePoint> line_;
};

}  // namespace scoring

int64_t score_on_line(std::span<const ShapePoint> line, int64_t utilization) {
  if (utilization <= line.front().utilization) return line.front().score;
  for (size_t i = 1; i < line.size(); ++i) {
    const ShapePoint& to = line[i];
    if (utilization > to.utilization) continue;
    const ShapePoint& from = line[i - 1];
    return from.score + (to.score - from.score) * (utilization - from.utilization) /
                            (to.utilization - from.utilization);
  }
  return line.back().score;
}

int64_t evenness(std::span<const double> fractions) {
  double deviation = 0;
  if (fractions.size() == 2) {
    deviation = std::abs((fractions[0] - fractions[1]) / 2);
  } else if (fractions.size() > 2) {
    const auto count = static_cast<double>(fractions.size());
    double total = 0;
    for (const double fraction : fractions) total += fraction;
    const double mean = total / count;
    double squares = 0;
    for (const double fraction : fractions) squares += (fraction - mean) * (fraction - mean);
    deviation = std::sqrt(squares / count);
  }
  return static_cast<int64_t>((1 - deviation) * static_cast<double>(kMaxScore));
}

std::vector<ScoredResource> scored_resources(std::span<const ResourceWeight> resources,
                                             const Resources& request, bool with_defaults) {
  std::vector<ScoredResource> scored;
  scored.reserve(resources.size());
  for (const auto& [name, weight] : resources) {
    const ScoredResource::Kind kind = scoring::kind_of(name, with_defaults);
    const int64_t amount = request.amount(name);
    if (kind == ScoredResource::Kind::kOther && amount == 0) continue;
    scored.push_back({.kind = kind, .weight = weight, .request = amount, .name = name});
  }
  return scored;
}

std::unique_ptr<NodeScorer> make_fit_scorer(const FitArgs& args, const Resources& request) {
  std::vector<ScoredResource> resources = scored_resources(args.resources, request, true);
  switch (args.strategy) {
    case FitArgs::Strategy::kLeastAllocated:
      return std::make_unique<scoring::MeanScorer<least_allocated>>(std::move(resources));
    case FitArgs::Strategy::kMostAllocated:
      return std::make_unique<scoring::MeanScorer<most_allocated>>(std::move(resources));
    case FitArgs::Strategy::kRequestedToCapacityRatio:
      break;
  }
  // People write points from 0 to 10, nodes are scored from 0 to 100.
  std::vector<ShapePoint> line = args.shape;
  for (ShapePoint& point : line) point.score *= kMaxScore / 10;
  return std::make_unique<scoring::LineScorer>(std::move(resources), std::move(line));
}

}  // namespace proa::scheduler
