#pragma once

#include <map>
#include <set>
#include <string>

#include "base/threads/mutex.h"
#include "client/events/recorder.h"
#include "controllers/storage/attach/attach_state.h"

namespace proa::controllers::storage {

// Records events about volume attachments on pods, each once. Thread-safe.
class AttachEvents {
 public:
  explicit AttachEvents(client::EventRecorder& events) : events_(events) {}

  using Pods = std::vector<api::ObjectPtr>;
  // The subject of an event: an existing or desired attachment.
  struct About {
    const std::string& volume;
    const std::string& attachment;
  };
  void waits(const About& about) EXCLUDES(mutex_);  // the VolumeAttachment was created
  void succeeded(const About& about, const Pods& pods) EXCLUDES(mutex_);
  void failed(const About& about, const std::string& why, const Pods& pods) EXCLUDES(mutex_);
  // Attached to another node; `users`: pods that use it there.
  void blocked(const About& about, const Pods& pods, const Pods& users) EXCLUDES(mutex_);
  // Forgets the volume's other attachments.
  void forget_others(const std::string& volume, const std::set<std::string>& attachments)
      EXCLUDES(mutex_);

 private:
  // Whether this differs from the last event.
  bool is_news(const About& about, const std::string& what) EXCLUDES(mutex_);
  void warn(const Pods& pods, const std::string& message);

  client::EventRecorder& events_;
  Mutex mutex_;
  using Told = std::map<std::string, std::string>;       // by names of attachments
  std::map<std::string, Told> told_ GUARDED_BY(mutex_);  // by names of volumes
};

}  // namespace proa::controllers::storage
