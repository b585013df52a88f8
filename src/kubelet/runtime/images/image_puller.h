#pragma once

#include <functional>
#include <memory>

#include "base/random.h"
#include "base/threads/pool.h"
#include "client/events/recorder.h"
#include "kubelet/model/mounted_volume.h"
#include "kubelet/model/object_source.h"
#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime.h"
#include "kubelet/runtime/images/pull_record_files.h"

namespace proa::kubelet {

// The state of the image of a container or of a volume.
struct ImageState {
  enum class Kind : uint8_t { kReady, kPulling, kFailed };
  Kind kind = Kind::kPulling;
  cri::Image image = {};       // when ready
  std::string reference = {};  // when ready: what the container is created from, or mounts
  // When failed, as a waiting container's state has them: "ErrImagePull", "ImagePullBackOff",
  // "ErrImageNeverPull", "InvalidImageName", "ImageInspectError".
  std::string reason = {};
  std::string message = {};
  Steady again = Steady::max();  // if failed: when to try again
};

// Provides the images of containers and volumes according to their pull policy. Never blocks on a
// pull: it continues in the pool, and `changed` is called at its end. An image that was pulled with
// credentials of a secret is only used for pods that have those credentials or that secret; others
// pull it again. From any thread that is not a loop's: it calls the runtime.
class ImagePuller {
 public:
  struct Context {
    Clock& clock;
    Random& random;
    WorkerPool& pool;
    cri::Runtime& runtime;
    client::EventRecorder& events;
    ObjectSource& objects;
    std::function<void(api::UidView pod_uid)> changed;
    size_t most_at_once = 5;
    // Persists with which credentials images were pulled; without it, a restart forgets that.
    std::optional<PullRecordFiles> records = {};
  };
  // Cancels running pulls and waits for them.
  virtual ~ImagePuller() = default;
  // Records upstream's Events (Pulling, Pulled, Failed, BackOff, ErrImageNeverPull, InspectFailed),
  // and with each failure "Error: ErrImagePull" and the like. The result of a pull is returned
  // once: the next call tries again or reports the back-off.
  virtual ImageState ensure(const PodPtr& pod, const ContainerSpec& container,
                            const json::Value& sandbox_config) = 0;
  // The same for the image of a volume. Its Events are about the pod. "Error: ErrImagePull" is not
  // recorded: that is an Event of the containers that mount it.
  virtual ImageState ensure_volume(const PodPtr& pod, std::string_view volume,
                                   const VolumeImage& image, const json::Value& sandbox_config) = 0;
  virtual void forget(api::UidView pod_uid) = 0;
  // The images that exist: records of all others are dropped.
  virtual void keep_only(const std::vector<cri::Image>& images) = 0;
};

std::unique_ptr<ImagePuller> make_image_puller(ImagePuller::Context context);

}  // namespace proa::kubelet
