#pragma once

#include <map>
#include <set>
#include <string>

#include "base/threads/mutex.h"
#include "client/events/recorder.h"
#include "controllers/storage/attach/attach_state.h"

namespace proa::controllers::storage {

// Tells pods how it stands with their volumes, each thing once. Safe to use from any thread.
class AttachNotices {
 public:
  explicit AttachNotices(client::EventRecorder& events) : events_(events) {}

  using Pods = std::vector<api::ObjectPtr>;
  // What a thing is about: an attachment that there is, or is to be.
  struct About {
    const std::string& volume;
    const std::string& attachment;
  };
  void waits(const About& about) EXCLUDES(mutex_);  // it was asked for
  void succeeded(const About& about, const Pods& pods) EXCLUDES(mutex_);
  void failed(const About& about, const std::string& why, const Pods& pods) EXCLUDES(mutex_);
  // Another node has it; `users`: pods that need it there.
  void blocked(const About& about, const Pods& pods, const Pods& users) EXCLUDES(mutex_);
  // Nobody wants the volume's other attachments any more.
  void forget_others(const std::string& volume, const std::set<std::string>& attachments)
      EXCLUDES(mutex_);

 private:
  // Whether that was not what was told last.
  bool is_news(const About& about, const std::string& what) EXCLUDES(mutex_);
  void warn(const Pods& pods, const std::string& message);

  client::EventRecorder& events_;
  Mutex mutex_;
  using Told = std::map<std::string, std::string>;       // by names of attachments
  std::map<std::string, Told> told_ GUARDED_BY(mutex_);  // by names of volumes
};

}  // namespace proa::controllers::storage
