#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "apiserver/objects/watch_cursor.h"
#include "base/clock.h"
#include "client/client.h"

namespace proa::apiserver {

// A blocking watch over a cursor.
class LocalWatch final : public client::Watch {
 public:
  // Fails as WatchCursor::open does.
  static Result<std::unique_ptr<client::Watch>> open(store::Store& store, Clock& clock,
                                                     const Request& request,
                                                     const ListOptions& options);

  ~LocalWatch() override;
  Result<std::vector<client::Event>> next(const Until& until) override;
  bool on_ready(std::function<void()> wake) override;

 private:
  // Shared with the store, which may call it while the watch is destroyed.
  struct Wake;
  LocalWatch(const Request& request, Clock& clock, std::shared_ptr<Wake> wake,
             std::unique_ptr<WatchCursor> cursor);
  Result<std::vector<client::Event>> translate(const std::vector<WatchEvent>& found) const;

  const ResourcePtr resource_;
  const std::shared_ptr<AuditNotes> audit_;  // the request ends with the watch
  Clock& clock_;
  const std::shared_ptr<Wake> wake_;
  const std::unique_ptr<WatchCursor> cursor_;
  std::stop_token replaced_;  // of a custom resource
  std::unique_ptr<std::stop_callback<std::function<void()>>> on_replaced_;
};

}  // namespace proa::apiserver
