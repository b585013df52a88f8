#pragma once

#include <functional>
#include <memory>

#include "base/random.h"
#include "base/threads/pool.h"
#include "client/events/recorder.h"
#include "kubelet/model/object_source.h"
#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime.h"
#include "kubelet/runtime/images/pull_record_files.h"

namespace proa::kubelet {

// Where the image of a container stands.
struct ImageState {
  enum class Kind : uint8_t { kReady, kPulling, kFailed };
  Kind kind = Kind::kPulling;
  cri::Image image = {};       // when ready
  std::string reference = {};  // when ready: what the container is created from
  // When failed, as a waiting container's state has them: "ErrImagePull", "ImagePullBackOff",
  // "ErrImageNeverPull", "InvalidImageName", "ImageInspectError".
  std::string reason = {};
  std::string message = {};
  Steady again = Steady::max();  // when failed: when to ask again
};

// Has the images of containers at hand, by their pull policy. Never waits for a pull: it goes on in
// the pool, and `changed` tells when it has ended. Of an image that was pulled with credentials of
// a secret, only pods that have these or that secret get what is there; others pull. From any
// thread that is not a loop's: it asks the runtime.
class ImagePuller {
 public:
  struct Context {
    Clock& clock;
    Random& random;
    WorkerPool& pool;
    cri::Runtime& runtime;
    client::EventRecorder& events;
    ObjectSource& objects;
    std::function<void(const std::string& pod_uid)> changed;
    size_t most_at_once = 5;
    // Where it is remembered who may use what was pulled; without it, that is forgotten.
    std::optional<PullRecordFiles> records = {};
  };
  // Calls off the pulls under way, and waits until they have ended.
  virtual ~ImagePuller() = default;
  // Publishes upstream's Events (Pulling, Pulled, Failed, BackOff, ErrImageNeverPull,
  // InspectFailed), with each failure the one that starting a container then brings: "Error:
  // ErrImagePull". What a pull ended with is told once: who asks again after that makes a new
  // attempt, or hears of the back-off.
  virtual ImageState ensure(const PodPtr& pod, const ContainerSpec& container,
                            const json::Value& sandbox_config) = 0;
  virtual void forget(const std::string& pod_uid) = 0;
  // These images are there, and no others: what is known of others is forgotten.
  virtual void keep_only(const std::vector<cri::Image>& images) = 0;
};

std::unique_ptr<ImagePuller> make_image_puller(ImagePuller::Context context);

}  // namespace proa::kubelet
