#include "scheduler/plugins/basic/image_locality.h"

#include <algorithm>

namespace proa::scheduler {
namespace image_locality {

constexpr int64_t kMebibyte = int64_t{1024} * 1024;
// Images below the first together are worth nothing, beyond the second per container nothing more:
// upstream's numbers, the range in which most images lie.
constexpr int64_t kLeast = 23 * kMebibyte;
constexpr int64_t kMostPerContainer = 1000 * kMebibyte;

// As the runtime of a node names it: with a tag.
std::string full_name(const std::string& image) {
  const size_t colon = image.rfind(':');
  const size_t slash = image.rfind('/');
  const bool has_tag = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return has_tag ? image : image + ":latest";
}

class Scorer final : public NodeScorer {
 public:
  struct Image {
    std::string name;
    int64_t worth = 0;  // its size, times the part of the nodes that has it
  };

  Scorer(std::vector<Image> images, size_t containers)
      : images_(std::move(images)), most_(kMostPerContainer * static_cast<int64_t>(containers)) {}

  int64_t score(NodeIndex /*index*/, const Node& node) override {
    int64_t sum = 0;
    for (const Image& image : images_) sum += worth(image, node.facts().images);
    sum = std::clamp(sum, kLeast, most_);
    return kMaxScore * (sum - kLeast) / (most_ - kLeast);
  }

 private:
  using NodeImages = std::vector<std::pair<std::string, int64_t>>;  // ascending

  static int64_t worth(const Image& image, const NodeImages& there) {
    const auto found = std::lower_bound(
        there.begin(), there.end(), image.name,
        [](const auto& one, const std::string& wanted) { return one.first < wanted; });
    if (found == there.end() || found->first != image.name) return 0;
    return image.worth;
  }

  const std::vector<Image> images_;
  const int64_t most_;
};

class ImageLocality final : public ScorePlugin {
 public:
  explicit ImageLocality(const Cluster& cluster) : cluster_(cluster) {}

  std::string_view name() const override { return "ImageLocality"; }

  // Null when no node has any of the images: then all nodes score nothing.
  std::unique_ptr<NodeScorer> pre_score(const Pod& pod) override {
    std::vector<Scorer::Image> somewhere;
    for (const std::string& image : pod.shape->images) {
      std::string name = full_name(image);
      const ClusterImage* found = cluster_.image(name);
      if (found == nullptr) continue;
      const double spread =
          static_cast<double>(found->nodes) / static_cast<double>(cluster_.node_count());
      const auto worth = static_cast<int64_t>(static_cast<double>(found->size) * spread);
      somewhere.push_back({.name = std::move(name), .worth = worth});
    }
    if (somewhere.empty() || pod.shape->containers == 0) return nullptr;
    return std::make_unique<Scorer>(std::move(somewhere), pod.shape->containers);
  }

 private:
  const Cluster& cluster_;
};

}  // namespace image_locality

Result<std::unique_ptr<Plugin>> make_image_locality(const PluginContext& context,
                                                    api::View /*args*/) {
  return std::make_unique<image_locality::ImageLocality>(context.cluster);
}

}  // namespace proa::scheduler
