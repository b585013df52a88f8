#pragma once

#include <memory>

#include "client/client.h"
#include "client/remote/answers.h"
#include "http/client/blocking_call.h"

namespace proa::client {

// A watch over a streaming response body.
class RemoteWatch final : public Watch {
 public:
  // REQUIRES: the response status was 200.
  explicit RemoteWatch(std::unique_ptr<http::BlockingCall> call) : call_(std::move(call)) {}

  Result<std::vector<Event>> next(const Until& until) override;
  bool on_ready(std::function<void()> wake) override {
    call_->on_readable(std::move(wake));
    return true;
  }

 private:
  const std::unique_ptr<http::BlockingCall> call_;
  WatchLines lines_;
};

}  // namespace proa::client
