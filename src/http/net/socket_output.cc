#include <array>

#include "http/net/socket_handle.h"

namespace proa::http {
namespace socket_output {

constexpr size_t kEncryptAhead =
    64 * 1024;  // ciphertext that may wait for the kernel; plaintext is shared, this is not
constexpr size_t kMaxPieces = 64;
// Bytes sent per loop iteration: the kernel accepts megabytes at once, and many large responses
// would delay everybody else with the copying.
constexpr size_t kSendATurn = 256 * 1024;

uv_buf_t buffer(const Bytes& bytes) {
  return uv_buf_init(const_cast<char*>(bytes.data()), static_cast<unsigned>(bytes.size()));
}

}  // namespace socket_output

void Socket::write(Bytes bytes) {
  if (bytes.empty() || failed_) return;
  queued_ += bytes.size();
  queue_.push_back(std::move(bytes));
}

void Socket::flush() {
  if (failed_ || !established()) return;
  send_some();
  count_unsent();
}

void Socket::count_unsent() {
  if (!output_ || failed_) return;
  if (std::exchange(counted_at_, bytes_sent_) != bytes_sent_) progressed();
  output_->set_own(*this, unsent() > OutputLane::kFew ? unsent() : 0);
}

void Socket::drop_unsent() {
  queue_.clear();
  queued_ = 0;
  fail_later({Reason::kServiceUnavailable, "the peer reads too slowly"});
}

// Small pieces share a record, so that ten frames of a few bytes cost one encryption and one
// packet.
void Socket::encrypt() {
  thread_local std::string record;
  while (!queue_.empty() && tls_->outgoing().size() < socket_output::kEncryptAhead) {
    std::string_view plaintext = queue_.front().view().substr(0, kRecordSize);
    if (plaintext.size() < kRecordSize && queue_.size() > 1) {
      record.clear();
      for (const auto& piece : queue_) {
        record.append(piece.view().substr(0, kRecordSize - record.size()));
        if (record.size() == kRecordSize) break;
      }
      plaintext = record;
    }
    if (auto written = tls_->write(plaintext); !written.ok()) return fail_later(written.status());
    queued_ -= plaintext.size();
    for (size_t taken = plaintext.size(); taken > 0;) {
      const size_t part = std::min(taken, queue_.front().size());
      queue_.front().remove_prefix(part);
      taken -= part;
      if (queue_.front().empty()) queue_.pop_front();
    }
  }
}

// The next pieces for the kernel.
std::vector<Bytes> Socket::next_pieces() {
  std::vector<Bytes> pieces;
  if (tls_) {
    if (tls_->established()) encrypt();
    if (!tls_->outgoing().empty()) pieces.emplace_back(std::exchange(tls_->outgoing(), {}));
    return pieces;
  }
  size_t room = socket_output::kSendATurn;
  while (!queue_.empty() && room > 0 && pieces.size() < socket_output::kMaxPieces) {
    Bytes& front = queue_.front();
    pieces.push_back(front.slice(0, room));
    const size_t taken = pieces.back().size();
    room -= taken;
    queued_ -= taken;
    front.remove_prefix(taken);
    if (front.empty()) queue_.pop_front();
  }
  return pieces;
}

void Socket::send_some() {
  size_t sent_now = 0;
  // One write at a time: later data goes out with the next, in larger records.
  while (!failed_ && !connecting_ && !send_posted_ && in_flight_ == 0) {
    if (sent_now >= socket_output::kSendATurn && !queue_.empty()) return send_later();
    std::vector<Bytes> pieces = next_pieces();
    if (failed_) return;
    if (pieces.empty()) {
      if (end_direction()) continue;
      return;
    }

    std::array<uv_buf_t, socket_output::kMaxPieces> buffers;
    size_t total = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
      buffers[i] = socket_output::buffer(pieces[i]);
      total += pieces[i].size();
    }
    const int result =
        uv_try_write(&handle_->stream, buffers.data(), static_cast<unsigned>(pieces.size()));
    if (result < 0 && result != UV_EAGAIN) return fail_later(socket::uv_failure("writing", result));
    size_t done = result > 0 ? static_cast<size_t>(result) : 0;
    bytes_sent_ += done;
    sent_now += done;
    if (done == total) continue;
    total -= done;
    size_t first = 0;
    while (done >= pieces[first].size()) done -= pieces[first++].size();
    pieces[first].remove_prefix(done);
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<ptrdiff_t>(first));
    submit(std::move(pieces), total);
  }
}

void Socket::send_later() {
  send_posted_ = true;
  loop_.post([this, alive = alive_] {
    if (!*alive) return;
    send_posted_ = false;
    sent(0, 0);
  });
}

void Socket::submit(std::vector<Bytes> pieces, size_t size) {
  auto* write = new Write{{}, handle_, size, std::move(pieces)};
  write->request.data = write;
  std::array<uv_buf_t, socket_output::kMaxPieces> buffers;
  for (size_t i = 0; i < write->pieces.size(); ++i)
    buffers[i] = socket_output::buffer(write->pieces[i]);
  in_flight_ = size;
  const int result =
      uv_write(&write->request, &handle_->stream, buffers.data(),
               static_cast<unsigned>(write->pieces.size()), [](uv_write_t* request, int status) {
                 const std::unique_ptr<Write> owned(static_cast<Write*>(request->data));
                 if (Socket* self = owned->handle->owner) self->sent(owned->size, status);
               });
  if (result != 0) {
    delete write;
    fail_later(socket::uv_failure("writing", result));
  }
}

void Socket::sent(size_t size, int result) {
  in_flight_ = 0;
  if (result != 0) return fail(socket::uv_failure("writing", result));
  bytes_sent_ += size;
  send_some();
  count_unsent();
  if (!failed_ && unsent() <= kLowWater && events_ != nullptr) events_->on_drained();
}

void Socket::shutdown() {
  shutdown_wanted_ = true;
  flush();
}

bool Socket::end_direction() {
  if (!shutdown_wanted_ || !queue_.empty() || direction_ended_) return false;
  if (tls_ && !notified_) {
    notified_ = true;
    tls_->close_notify();
    return true;
  }
  direction_ended_ = true;
  auto* request = new uv_shutdown_t;
  const auto done = [](uv_shutdown_t* finished, int) { delete finished; };
  if (uv_shutdown(request, &handle_->stream, done) != 0) delete request;
  return false;
}

}  // namespace proa::http
