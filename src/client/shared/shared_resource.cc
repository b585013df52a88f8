#include "client/shared/shared_resource.h"

#include <utility>

namespace proa::client {
namespace shared_resource {

// More than a burst of changes while a reader works.
constexpr size_t kLeastUnread = 1000;

class SharedWatch final : public Watch {
 public:
  explicit SharedWatch(std::shared_ptr<Subscription> subscription)
      : subscription_(std::move(subscription)) {}
  ~SharedWatch() override { subscription_->on_ready(nullptr); }

  Result<std::vector<Event>> next(const Until& until) override {
    return subscription_->next(until);
  }
  bool on_ready(std::function<void()> wake) override {
    subscription_->on_ready(std::move(wake));
    return true;
  }

 private:
  const std::shared_ptr<Subscription> subscription_;
};

}  // namespace shared_resource

SharedResource::SharedResource(Client& client, Clock& clock, Random& random, Selector selector)
    : clock_(clock), informer_(client, clock, random, std::move(selector)) {
  informer_.add_handler([this](const Change& change) { tell(change); });
}

std::unique_ptr<Watch> SharedResource::subscribe(ObjectFilter filter) {
  auto reader = std::make_shared<Subscription>(clock_, std::move(filter));
  {
    MutexLock lock(mutex_);
    new_readers_.push_back(reader);
  }
  if (wake_) wake_();
  return std::make_unique<shared_resource::SharedWatch>(std::move(reader));
}

void SharedResource::on_work(std::function<void()> wake) {
  wake_ = wake;
  informer_.on_work(std::move(wake));
}

Steady SharedResource::poll() {
  admit_new_readers();
  if (!asked_for_) return Steady::max();
  const Steady due = informer_.poll();
  if (!told_synced_ && informer_.synced()) {
    told_synced_ = true;
    for (const auto& one : readers_) {
      if (const auto reader = one.lock()) reader->end_initial(informer_.progress());
    }
  }
  return due;
}

// On the thread that changes the cache, and not while it does: what a reader is told first is what
// later changes are relative to.
void SharedResource::admit_new_readers() {
  std::vector<std::weak_ptr<Subscription>> admitted;
  {
    MutexLock lock(mutex_);
    admitted.swap(new_readers_);
  }
  for (std::weak_ptr<Subscription>& one : admitted) {
    asked_for_ = true;
    const std::shared_ptr<Subscription> reader = one.lock();
    if (reader == nullptr) continue;
    if (told_synced_) {
      const size_t most = most_unread();
      for (const api::ObjectPtr& object : informer_.cache().list()) {
        reader->tell({Key::of(*object), nullptr, object}, most);
      }
      reader->end_initial(informer_.progress());
    }
    readers_.push_back(std::move(one));
  }
}

void SharedResource::tell(const Change& change) {
  const size_t most = most_unread();
  for (const std::weak_ptr<Subscription>& one : readers_) {
    if (const auto reader = one.lock()) reader->tell(change, most);
  }
  std::erase_if(readers_, [](const auto& one) { return one.expired(); });
}

// Whoever is further behind is faster with all objects again.
size_t SharedResource::most_unread() const {
  return informer_.cache().size() + shared_resource::kLeastUnread;
}

}  // namespace proa::client
