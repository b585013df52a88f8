#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/threads/poller.h"
#include "client/informer/informer.h"
#include "client/shared/subscription.h"

namespace proa::client {

// All objects of one resource, followed once for any number of readers: nothing is requested before
// the first of them. A watch that breaks is resumed here; readers get the changes that it missed.
class SharedResource final : public Pollable {
 public:
  // REQUIRES: all arguments outlive it. The selector selects everything.
  SharedResource(Client& client, Clock& clock, Random& random, Selector selector);
  SharedResource(const SharedResource&) = delete;
  SharedResource& operator=(const SharedResource&) = delete;

  // A watch that begins with all objects that the filter matches. Thread-safe.
  std::unique_ptr<Watch> subscribe(ObjectFilter filter) EXCLUDES(mutex_);

  Steady poll() override EXCLUDES(mutex_);
  void on_work(std::function<void()> wake) override;

 private:
  void admit_new_readers() EXCLUDES(mutex_);
  void tell(const Change& change);
  // How many events a reader may leave unread.
  size_t most_unread() const;

  Clock& clock_;
  Informer informer_;
  std::function<void()> wake_;
  // Of the thread that polls. A reader is gone when its watch is.
  std::vector<std::weak_ptr<Subscription>> readers_;
  bool asked_for_ = false;
  bool told_synced_ = false;
  Mutex mutex_;
  std::vector<std::weak_ptr<Subscription>> new_readers_ GUARDED_BY(mutex_);
};

}  // namespace proa::client
