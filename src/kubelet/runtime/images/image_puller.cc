#include "kubelet/runtime/images/image_puller.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "api/validation/go_text.h"
#include "base/log.h"
#include "base/strings.h"
#include "kubelet/model/reference.h"
#include "kubelet/runtime/cri/failure_text.h"
#include "kubelet/runtime/images/image_name.h"
#include "kubelet/runtime/images/keyring.h"
#include "kubelet/runtime/images/pull_backoff.h"
#include "kubelet/runtime/images/pull_jobs.h"
#include "kubelet/runtime/images/pull_records.h"

namespace proa::kubelet {
namespace image_pullers {

const Log kLog{"kubelet"};

// The timeout of image queries.
constexpr Duration kAsking = std::chrono::minutes(2);
// Retry delay for changes without an event: an image loaded by another client, a runtime that
// failed.
constexpr Duration kLookAgain = std::chrono::seconds(15);
// A failed pull shows as such for a while, as with upstream, before it shows as being backed off.
constexpr Duration kShowsFailure = std::chrono::seconds(10);

// Who uses an image: a container or a volume of a pod.
struct PullId {
  api::Uid pod = {};
  enum class User : uint8_t { kContainer, kVolume };
  User user = User::kContainer;
  std::string name = {};

  auto operator<=>(const PullId&) const = default;
};

// What a container or a volume waits for.
struct Waiter {
  PodPtr pod = {};
  PullId id = {};
  client::ObjectReference about = {};  // what Events are about
  std::string policy = {};
  std::string image = {};  // as the spec has it
  ImageName name = {};
  Steady began = {};
};

// A pull: under way, or over and not asked for yet.
struct Pull {
  std::string reference = {};
  bool is_over = false;
  ImageState state = {};
};

struct Failure {
  std::string reason = {};
  std::string message = {};
};

// Runtimes prefix the error of a pull with its reason.
Failure read_failure(const std::string& image, const std::string& error) {
  struct Known {
    std::string_view word;
    std::string_view meaning;
  };
  constexpr std::array kKnown = {
      Known{"RegistryUnavailable", "the registry is unavailable"},
      Known{"SignatureValidationFailed", "the signature validation failed"}};
  for (const Known& known : kKnown) {
    if (error.rfind(known.word, 0) != 0) continue;
    return {std::string(known.word), "image pull failed for " + image + " because " +
                                         std::string(known.meaning) +
                                         error.substr(known.word.size())};
  }
  return {"ErrImagePull", error};
}

Duration to_milliseconds(Duration time) {
  return std::chrono::floor<std::chrono::milliseconds>(time);
}

ImageState ready(cri::Image image, std::string reference) {
  ImageState state;
  state.kind = ImageState::Kind::kReady;
  state.reference = image.id.empty() ? std::move(reference) : image.id;
  state.image = std::move(image);
  return state;
}

class ThrottledPuller final : public ImagePuller {
 public:
  explicit ThrottledPuller(Context context)
      : context_(std::move(context)),
        records_(context_.records),
        jobs_(context_.runtime, context_.clock, context_.pool, context_.most_at_once,
              [this](const PullRequest& request, const PullOutcome& outcome) {
                record(request, outcome);
              }) {}

  ImageState ensure(const PodPtr& pod, const ContainerSpec& container,
                    const json::Value& sandbox_config) override EXCLUDES(mutex_);
  ImageState ensure_volume(const PodPtr& pod, std::string_view volume, const VolumeImage& image,
                           const json::Value& sandbox_config) override EXCLUDES(mutex_);
  void forget(api::UidView pod_uid) override EXCLUDES(mutex_);
  void keep_only(const std::vector<cri::Image>& images) override { records_.keep_only(images); }

 private:
  ImageState ensure(Waiter waiter, const json::Value& sandbox_config) EXCLUDES(mutex_);
  // The pull that the waiter asked for, if it is under way; if it is over, its result, once.
  std::optional<ImageState> take_pull(const Waiter& waiter) EXCLUDES(mutex_);
  // By the pull policy: what is there already, or a failure; nullopt when it must be pulled.
  std::optional<ImageState> look_for_it(const Waiter& waiter, std::vector<PullKey>& keys,
                                        bool& has_keys);
  bool may_use(const cri::Image& image, const Waiter& waiter, std::vector<PullKey>& keys,
               bool& has_keys);
  Result<std::vector<PullKey>> read_keys(const Waiter& waiter);
  std::optional<ImageState> back_off(const Waiter& waiter) EXCLUDES(mutex_);
  ImageState begin(const Waiter& waiter, std::vector<PullKey> keys,
                   const json::Value& sandbox_config) EXCLUDES(mutex_);
  ImageState never_pulled(const Waiter& waiter);
  // Records the Event of a container that could not be started, as upstream does; of a volume, its
  // containers do.
  ImageState fail(const Waiter& waiter, std::string reason, std::string message, Steady again);

  void record(const PullRequest& request, const PullOutcome& outcome);
  void finish(const Waiter& waiter, const PullOutcome& outcome) EXCLUDES(mutex_);
  ImageState state_after(const Waiter& waiter, const PullOutcome& outcome) EXCLUDES(mutex_);

  const Context context_;
  PullRecords records_;
  Mutex mutex_;
  PullBackoff backoff_ GUARDED_BY(mutex_);
  std::map<PullId, Pull> pulls_ GUARDED_BY(mutex_);
  PullJobs jobs_;  // last: its threads use the others
};

ImageState ThrottledPuller::ensure(const PodPtr& pod, const ContainerSpec& container,
                                   const json::Value& sandbox_config) {
  return ensure({.pod = pod,
                 .id = {pod->uid(), PullId::User::kContainer, std::string(container.name())},
                 .about = reference_to(*pod, container),
                 .policy = std::string(container.view["imagePullPolicy"].text()),
                 .image = std::string(container.view["image"].text()),
                 .began = context_.clock.steady()},
                sandbox_config);
}

ImageState ThrottledPuller::ensure_volume(const PodPtr& pod, std::string_view volume,
                                          const VolumeImage& image,
                                          const json::Value& sandbox_config) {
  return ensure({.pod = pod,
                 .id = {pod->uid(), PullId::User::kVolume, std::string(volume)},
                 .about = reference_to(*pod),
                 .policy = image.pull_policy,
                 .image = image.specified,
                 .began = context_.clock.steady()},
                sandbox_config);
}

ImageState ThrottledPuller::ensure(Waiter waiter, const json::Value& sandbox_config) {
  auto name = parse_image_name(waiter.image);
  if (!name.ok()) {
    std::string message = "Failed to apply default image tag " + api::quoted(waiter.image) + ": " +
                          name.status().message();
    context_.events.warning(waiter.about, "InspectFailed", message);
    return fail(waiter, "InvalidImageName", std::move(message), Steady::max());
  }
  waiter.name = std::move(*name);
  if (auto state = take_pull(waiter)) return std::move(*state);
  std::vector<PullKey> keys;
  bool has_keys = false;
  if (auto state = look_for_it(waiter, keys, has_keys)) return std::move(*state);
  if (auto state = back_off(waiter)) return std::move(*state);
  if (!has_keys) {
    auto read = read_keys(waiter);
    if (!read.ok()) {
      return fail(waiter, "ErrImagePull", read.status().message(), waiter.began + kLookAgain);
    }
    keys = std::move(*read);
  }
  return begin(waiter, std::move(keys), sandbox_config);
}

std::optional<ImageState> ThrottledPuller::take_pull(const Waiter& waiter) {
  ImageState state;
  {
    MutexLock lock(mutex_);
    const auto found = pulls_.find(waiter.id);
    // Of another image: the spec was changed meanwhile.
    if (found == pulls_.end() || found->second.reference != waiter.name.reference) {
      return std::nullopt;
    }
    if (!found->second.is_over) return ImageState{};
    state = std::move(found->second.state);
    pulls_.erase(found);
  }
  if (state.kind != ImageState::Kind::kFailed) return state;
  return fail(waiter, state.reason, state.message, state.again);
}

std::optional<ImageState> ThrottledPuller::look_for_it(const Waiter& waiter,
                                                       std::vector<PullKey>& keys, bool& has_keys) {
  if (waiter.policy == "Always") return std::nullopt;
  auto found = context_.runtime.image(waiter.name.reference, Until::after(context_.clock, kAsking));
  if (!found.ok()) {
    std::string message = "Failed to inspect image \"\": " + cri::failure_text(found.status());
    context_.events.warning(waiter.about, "InspectFailed", message);
    return fail(waiter, "ImageInspectError", std::move(message), waiter.began + kLookAgain);
  }
  if (!found->has_value()) {
    if (waiter.policy == "Never") return never_pulled(waiter);
    return std::nullopt;
  }
  if (!may_use(**found, waiter, keys, has_keys)) {
    // Pods that may not use an image do not learn whether it is here.
    if (waiter.policy == "Never") return never_pulled(waiter);
    return std::nullopt;
  }
  context_.events.normal(waiter.about, "Pulled",
                         "Container image " + api::quoted(waiter.image) +
                             " already present on machine and can be accessed by the pod");
  return ready(std::move(**found), waiter.name.reference);
}

bool ThrottledPuller::may_use(const cri::Image& image, const Waiter& waiter,
                              std::vector<PullKey>& keys, bool& has_keys) {
  // First whether it is being pulled: once it is not, the record is there.
  const bool is_pulling = jobs_.is_pulling(waiter.name.reference);
  if (!records_.is_ours(image.id, waiter.name.reference)) return !is_pulling;
  if (records_.may_use(image.id, waiter.name.written_repository, {})) return true;
  auto read = read_keys(waiter);
  if (!read.ok()) return false;
  keys = std::move(*read);
  has_keys = true;
  return records_.may_use(image.id, waiter.name.written_repository, keys);
}

Result<std::vector<PullKey>> ThrottledPuller::read_keys(const Waiter& waiter) {
  Keyring keyring;
  std::vector<std::string> missing;
  for (const api::View reference : waiter.pod->spec()["imagePullSecrets"].items()) {
    const std::string_view name = reference["name"].text();
    if (name.empty()) continue;
    const auto secret = context_.objects.get("", "secrets", waiter.pod->name_space(), name);
    if (!secret.ok()) {
      missing.emplace_back(name);
      continue;
    }
    TRY(keyring.add(**secret));
  }
  if (!missing.empty()) {
    context_.events.warning(reference_to(*waiter.pod), "FailedToRetrieveImagePullSecret",
                            "Unable to retrieve some image pull secrets (" + join(missing, ", ") +
                                "); attempting to pull the image may not succeed.");
  }
  return keyring.find(waiter.name.repository);
}

ImageState ThrottledPuller::never_pulled(const Waiter& waiter) {
  std::string message =
      "Container image " + api::quoted(waiter.image) + " is not present with pull policy of Never";
  context_.events.warning(waiter.about, "ErrImageNeverPull", message);
  return fail(waiter, "ErrImageNeverPull", std::move(message), waiter.began + kLookAgain);
}

ImageState ThrottledPuller::fail(const Waiter& waiter, std::string reason, std::string message,
                                 Steady again) {
  if (waiter.id.user == PullId::User::kContainer) {
    context_.events.warning(waiter.about, "Failed", "Error: " + reason);
  }
  ImageState state;
  state.kind = ImageState::Kind::kFailed;
  state.reason = std::move(reason);
  state.message = std::move(message);
  state.again = again;
  return state;
}

std::optional<ImageState> ThrottledPuller::back_off(const Waiter& waiter) {
  std::optional<PullBackoff::Failure> failure;
  {
    MutexLock lock(mutex_);
    failure = backoff_.waits(waiter.pod->uid(), waiter.image, waiter.began);
  }
  if (!failure) return std::nullopt;
  std::string message = "Back-off pulling image " + api::quoted(waiter.image);
  context_.events.normal(waiter.about, "BackOff", message);
  return fail(waiter, "ImagePullBackOff", message + ": " + failure->error, failure->until);
}

ImageState ThrottledPuller::begin(const Waiter& waiter, std::vector<PullKey> keys,
                                  const json::Value& sandbox_config) {
  {
    MutexLock lock(mutex_);
    Pull pull;
    pull.reference = waiter.name.reference;
    pulls_.insert_or_assign(waiter.id, std::move(pull));
  }
  records_.begins(waiter.name.reference);
  context_.events.normal(waiter.about, "Pulling", "Pulling image " + api::quoted(waiter.image));
  jobs_.pull({waiter.name.reference, std::move(keys)}, sandbox_config,
             [this, waiter](const PullOutcome& outcome) { finish(waiter, outcome); });
  return ImageState{};
}

void ThrottledPuller::record(const PullRequest& request, const PullOutcome& outcome) {
  const auto name = parse_image_name(request.reference);
  if (outcome.ok() && name.ok()) {
    const std::string& id = outcome.image ? outcome.image->id : outcome.image_ref;
    records_.pulled(id, name->written_repository, outcome.key ? &*outcome.key : nullptr);
  }
  records_.ended(request.reference, outcome.ok());
}

void ThrottledPuller::finish(const Waiter& waiter, const PullOutcome& outcome) {
  ImageState state = state_after(waiter, outcome);
  {
    MutexLock lock(mutex_);
    const auto found = pulls_.find(waiter.id);
    const bool is_wanted = found != pulls_.end() && !found->second.is_over &&
                           found->second.reference == waiter.name.reference;
    if (!is_wanted) return;
    found->second.is_over = true;
    found->second.state = std::move(state);
  }
  context_.changed(waiter.pod->uid());
}

ImageState ThrottledPuller::state_after(const Waiter& waiter, const PullOutcome& outcome) {
  const Steady now = context_.clock.steady();
  const std::string image = api::quoted(waiter.image);
  if (outcome.ok()) {
    const int64_t size = outcome.image ? outcome.image->size : 0;
    context_.events.normal(waiter.about, "Pulled",
                           "Successfully pulled image " + image + " in " +
                               format_duration(to_milliseconds(outcome.took)) + " (" +
                               format_duration(to_milliseconds(now - waiter.began)) +
                               " including waiting). Image size: " + std::to_string(size) +
                               " bytes.");
    return ready(outcome.image.value_or(cri::Image{}), outcome.image_ref);
  }
  kLog.warn("image pull failed", {{"image", waiter.image}, {"error", outcome.error}});
  context_.events.warning(waiter.about, "Failed",
                          "Failed to pull image " + image + ": " + outcome.error);
  Failure failure = read_failure(waiter.image, outcome.error);
  Duration wait;
  {
    MutexLock lock(mutex_);
    wait = backoff_.failed(waiter.pod->uid(), waiter.image, now,
                           failure.reason + ": " + failure.message);
  }
  ImageState state;
  state.kind = ImageState::Kind::kFailed;
  state.reason = std::move(failure.reason);
  state.message = std::move(failure.message);
  state.again = now + std::min(wait / 2, kShowsFailure);
  return state;
}

void ThrottledPuller::forget(api::UidView pod_uid) {
  MutexLock lock(mutex_);
  backoff_.forget(pod_uid);
  auto next = pulls_.lower_bound({.pod = api::Uid(pod_uid)});
  while (next != pulls_.end() && next->first.pod == pod_uid) next = pulls_.erase(next);
}

}  // namespace image_pullers

std::unique_ptr<ImagePuller> make_image_puller(ImagePuller::Context context) {
  return std::make_unique<image_pullers::ThrottledPuller>(std::move(context));
}

}  // namespace proa::kubelet
