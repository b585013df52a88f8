#include "kubelet/runtime/containerd/image_import.h"

#include "base/process/spawn.h"
#include "base/strings.h"
#include "kubelet/runtime/containerd/await_runtime.h"

namespace proa::kubelet {
namespace image_import {

constexpr Duration kImportTime = std::chrono::seconds(60);
constexpr Duration kLookAgain = std::chrono::milliseconds(10);

Result<void> import(const std::string& socket, const std::string& archive, const Clock& clock) {
  const auto ctr = find_program("ctr");
  if (!ctr) {
    return Status(Reason::kNotFound, "ctr not found; install containerd");
  }
  const Outcome outcome =
      TRY(run_to_end({*ctr, "--address", socket, "--namespace", "k8s.io", "images", "import", "-"},
                     archive, clock, kImportTime));
  if (outcome.exit_code != 0) {
    return Status(Reason::kInternalError, "importing the built-in images into containerd: " +
                                              std::string(trim(outcome.output)));
  }
  return {};
}

}  // namespace image_import

Result<std::vector<BuiltinImage>> missing_images(cri::Runtime& runtime,
                                                 std::span<const BuiltinImage> images,
                                                 const Until& until) {
  std::vector<BuiltinImage> missing;
  for (const BuiltinImage& image : images) {
    const auto found = TRY(runtime.image(std::string(image.reference), until));
    if (!found || found->id != builtin_image_id(image)) missing.push_back(image);
  }
  return missing;
}

Result<size_t> import_builtin_images(cri::Runtime& runtime, const std::string& socket, Clock& clock,
                                     const Until& until) {
  TRY(await_runtime(runtime, clock, until));
  const std::vector<BuiltinImage> missing = TRY(missing_images(runtime, builtin_images(), until));
  if (missing.empty()) return size_t{0};
  TRY(image_import::import(socket, image_archive(missing), clock));
  // containerd's CRI plugin learns of new images a moment later.
  while (true) {
    const auto left = TRY(missing_images(runtime, missing, until));
    if (left.empty()) return missing.size();
    if (until.stop.stop_requested() || clock.steady() >= until.deadline) {
      return Status(Reason::kTimeout,
                    "built-in images are missing from the runtime after their import");
    }
    pause_for(clock, image_import::kLookAgain);
  }
}

}  // namespace proa::kubelet
