#pragma once

#include <functional>
#include <utility>

#include "base/threads/poller.h"
#include "client/informer/informer.h"

namespace proa::client {

// An informer on a poller's thread that tells once when it has synced: handlers are not called for
// a list that is empty.
class Followed final : public Pollable {
 public:
  // REQUIRES: the informer outlives it.
  Followed(Informer& informer, std::function<void()> synced)
      : informer_(informer), synced_(std::move(synced)) {}
  Steady poll() override;
  void on_work(std::function<void()> wake) override { informer_.on_work(std::move(wake)); }

 private:
  Informer& informer_;
  const std::function<void()> synced_;
  bool told_ = false;
};

}  // namespace proa::client
