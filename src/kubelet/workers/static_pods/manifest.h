#pragma once

#include <string>

#include "api/object/names.h"
#include "api/schema/model.h"
#include "kinds/defaulting.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

inline constexpr std::string_view kConfigHash = "kubernetes.io/config.hash";
inline constexpr std::string_view kConfigSource = "kubernetes.io/config.source";
inline constexpr std::string_view kConfigSeen = "kubernetes.io/config.seen";

// Makes static pods from manifests. For one thread.
class ManifestReader {
 public:
  explicit ManifestReader(api::NodeName node_name);

  // One pod in YAML or JSON. `path`: of the file; two files are two pods, whatever their content.
  // `now`: when it was read. Failures are kBadRequest or kInvalid.
  Result<PodPtr> read(std::string_view text, std::string_view path, Time now) const;

 private:
  void make_static(api::Edit pod, std::string_view path, Time now) const;
  Result<void> validate(api::View pod) const;

  const api::NodeName node_name_;
  const api::Type& type_;  // Pod
  const kinds::Defaulting defaulting_;
};

}  // namespace proa::kubelet
