#include "kubelet/workers/static_pods/manifest_folder.h"

#include <sys/stat.h>
#include <uv.h>

#include <map>
#include <optional>

#include "base/log.h"
#include "base/watch/folder_changes.h"
#include "kubelet/workers/static_pods/manifest.h"

namespace proa::kubelet {
namespace manifest_folder {

const Log kLog("kubelet");

constexpr size_t kMaxFile = size_t{10} << 20;  // upstream's
// Tools that change several files at once are given a moment.
constexpr Duration kSettle = std::chrono::milliseconds(20);
// How often a missing folder is looked for.
constexpr Duration kLookAgain = std::chrono::seconds(5);

// A file of the folder as it was read last.
struct File {
  std::string text = {};
  PodPtr pod = {};         // of its last valid version
  std::string wrong = {};  // why it is invalid, as logged
};

class Folder final : public ManifestFolder {
 public:
  Folder(http::Loop& loop, Files& files, std::string path, api::NodeName node_name, Clock& clock,
         std::function<void(std::vector<PodPtr>)> changed)
      : loop_(loop),
        files_(files),
        path_(std::move(path)),
        clock_(clock),
        reader_(std::move(node_name)),
        changed_(std::move(changed)) {}
  ~Folder() override {
    loop_.run_and_wait([this] {
      close();
      settle_.reset();
    });
  }

  // Loop thread only, all of it.
  Result<void> start();

 private:
  void read_events();
  // Reads the folder, and reports the pods if they changed.
  void look();
  void read_file(const std::string& name, File& file);
  void close();
  std::vector<PodPtr> pods() const;

  http::Loop& loop_;
  Files& files_;
  const std::string path_;
  Clock& clock_;
  const ManifestReader reader_;
  const std::function<void(std::vector<PodPtr>)> changed_;
  std::unique_ptr<http::Timer> settle_;
  std::optional<FolderChanges> changes_;
  uv_poll_t* poll_ = nullptr;  // freed by the loop once it is closed
  std::map<std::string, File> known_;
  std::vector<PodPtr> told_;
};

Result<void> Folder::start() {
  settle_ = std::make_unique<http::Timer>(loop_, [this] { look(); });
  changes_ = TRY(FolderChanges::open(path_));
  poll_ = new uv_poll_t{};
  poll_->data = this;
  if (const int failed = uv_poll_init(loop_.raw(), poll_, changes_->descriptor()); failed != 0) {
    delete std::exchange(poll_, nullptr);
    return Status(Reason::kInternalError, "following " + path_ + ": " + uv_strerror(failed));
  }
  uv_poll_start(poll_, UV_READABLE, [](uv_poll_t* handle, int, int) {
    static_cast<Folder*>(handle->data)->read_events();
  });
  look();
  if (told_.empty()) changed_({});
  return {};
}

void Folder::read_events() {
  if (changes_->changed()) settle_->start(kSettle);
}

void Folder::look() {
  // Watched before it is read, so that no change falls between.
  const Result<bool> watched = changes_->watch();
  if (!watched) {
    kLog.warn("watching the manifest folder failed; it is read every few seconds",
              {{"error", watched.status()}});
  }
  if (!watched || !*watched) settle_->start(kLookAgain);
  const auto names = files_.list(path_);
  if (!names.ok() && !names.is(Reason::kNotFound)) {
    kLog.error("reading the manifest folder failed",
               {{"folder", path_}, {"error", names.status()}});
    return;
  }
  std::map<std::string, File> now;
  for (const std::string& name : names.ok() ? *names : std::vector<std::string>()) {
    if (name.starts_with('.')) continue;
    File& file = now[name];
    if (const auto known = known_.find(name); known != known_.end()) file = known->second;
    read_file(name, file);
  }
  known_ = std::move(now);
  std::vector<PodPtr> found = pods();
  if (found == told_) return;
  told_ = found;
  changed_(std::move(found));
}

void Folder::read_file(const std::string& name, File& file) {
  const std::string path = path_ + "/" + name;
  struct stat about = {};
  // A pipe would hold us up for ever.
  const bool regular = ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
  Result<std::string> text = regular ? files_.read_file(path, kMaxFile)
                                     : Status(Reason::kBadRequest, "Manifest path is not a file");
  if (text.ok() && file.pod != nullptr && *text == file.text) return;
  Result<PodPtr> pod = text.ok() ? reader_.read(*text, path, clock_.now()) : text.status();
  if (!pod.ok()) {
    // The previous pod keeps running: editing a file must not stop it.
    if (file.wrong == pod.status().message()) return;
    file.wrong = pod.status().message();
    kLog.error("processing a manifest file failed", {{"path", path}, {"error", pod.status()}});
    return;
  }
  file.wrong.clear();
  file.text = std::move(*text);
  if (file.pod == nullptr || file.pod->uid() != (*pod)->uid()) file.pod = std::move(*pod);
}

std::vector<PodPtr> Folder::pods() const {
  // If several files define the same pod, the last one counts.
  std::map<api::PodKey, PodPtr> by_key;
  for (const auto& [name, file] : known_) {
    if (file.pod != nullptr) by_key[file.pod->key()] = file.pod;
  }
  std::vector<PodPtr> found;
  for (const auto& [key, pod] : by_key) found.push_back(pod);
  return found;
}

void Folder::close() {
  if (poll_ == nullptr) return;
  uv_poll_stop(poll_);
  uv_close(reinterpret_cast<uv_handle_t*>(std::exchange(poll_, nullptr)),
           [](uv_handle_t* handle) { delete reinterpret_cast<uv_poll_t*>(handle); });
}

}  // namespace manifest_folder

Result<std::unique_ptr<ManifestFolder>> follow_manifests(
    http::Loop& loop, Files& files, const std::string& folder, const api::NodeName& node_name,
    Clock& clock, std::function<void(std::vector<PodPtr>)> changed) {
  auto made = std::make_unique<manifest_folder::Folder>(loop, files, folder, node_name, clock,
                                                        std::move(changed));
  Result<void> started;
  loop.run_and_wait([&] { started = made->start(); });
  TRY(started);
  return std::unique_ptr<ManifestFolder>(std::move(made));
}

}  // namespace proa::kubelet
