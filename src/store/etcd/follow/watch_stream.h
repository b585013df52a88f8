#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/threads/deadline.h"
#include "store/etcd/client/etcd_client.h"

namespace proa::store::etcd {

// A watch of etcd as blocking code reads it. One thread receives; any may send.
class WatchStream {
 public:
  // Begins with this request.
  WatchStream(EtcdClient& client, std::string_view create_request);
  // Cancels it.
  ~WatchStream();

  // The next message. kTimeout if the deadline passes, after which it may be called again; the
  // call's failure, or that it ended, otherwise.
  Result<Bytes> receive(const Until& until);
  void send(std::string_view message);
  // Ends it: receive() returns this once it has no more messages.
  void fail(const Status& why);
  size_t endpoint() const { return endpoint_; }

 private:
  class Inbox;

  Clock& clock_;
  const std::shared_ptr<Inbox> inbox_;
  size_t endpoint_ = 0;
  std::optional<http::GrpcCall> call_;
};

}  // namespace proa::store::etcd
