#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "client/events/recorder.h"
#include "kubelet/host/machine.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Image garbage collection: removes unused images when their disk gets full, least recently used
// first. For one thread at a time, which calls it every five minutes.
class ImageCollector {
 public:
  struct Context {
    cri::Runtime& runtime;
    const Clock& clock;
    client::EventRecorder& events;
    std::function<client::ObjectReference()> node;  // what Events are about
    // Images that are never removed: the pause image and the built-in ones. By tag or id.
    std::vector<std::string> kept = {};
    // Gets all images of the runtime after each listing.
    std::function<void(const std::vector<cri::Image>&)> seen = {};
    std::function<Result<DiskSpace>(const std::string&)> disk = disk_space;
    int high_percent = 85;                       // of the disk: used more than that, images go
    int low_percent = 80;                        // until so much is used
    Duration min_age = std::chrono::minutes(2);  // a fresh pull is about to be used
  };
  explicit ImageCollector(Context context) : context_(std::move(context)) {}

  // Fails, in upstream's words and with an Event, if too little can be freed.
  Result<void> collect(const Until& until);

 private:
  struct Record {
    Time first_seen = {};
    Time last_used = {};
    int64_t size = 0;
    bool is_used = false;
    bool stays = false;
  };
  Result<void> look(const Until& until);
  // What containers run and mount, by any name.
  Result<std::set<std::string>> used_images(const Until& until);
  // Returns the number of bytes freed.
  Result<int64_t> free(int64_t bytes, const Until& until);

  const Context context_;
  std::map<std::string, Record> records_;  // by id
  // Images that containers mount, by container id. Only its status tells, and it never changes.
  std::map<std::string, std::vector<std::string>> mounted_;
};

}  // namespace proa::kubelet
