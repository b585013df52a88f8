// The two ends of a flow, for tests of the network: says who asks, and what came of asking. Static, so that it runs in any image.
//
//   peer serve PORT              answers on TCP and UDP, over IPv4 and IPv6: "NAME ADDRESS", its host name and who asks
//   peer ask tcp|udp ADDRESS PORT [COUNT [LOCAL_PORT]]
//                                asks COUNT times and prints each answer, or "refused", "unreachable", "silent", with the milliseconds
//   peer hold ADDRESS PORT PER_SECOND SECONDS
//                                so many connections a second; prints how many were answered and how many failed, and why
//   peer gap ADDRESS PORT SECONDS
//                                connects again and again; prints how many were answered, and the longest time without an answer, in milliseconds
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kAnswer = 256, kPause = 10 /* milliseconds */ };
static int patience = 2000;  // milliseconds

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static int listen_at(int type, int port) {
  int made = socket(AF_INET6, type, 0);
  int on = 1, off = 0;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  // A datagram is answered from the address that it was sent to.
  setsockopt(made, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
  setsockopt(made, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  if (bind(made, (struct sockaddr*)&at, sizeof at) != 0) fail("bind");
  if (type == SOCK_STREAM && listen(made, 1024) != 0) fail("listen");
  return made;
}

static int answer_for(const struct sockaddr_in6* who, char* text) {
  char name[64] = "", address[INET6_ADDRSTRLEN];
  gethostname(name, sizeof name - 1);
  inet_ntop(AF_INET6, &who->sin6_addr, address, sizeof address);
  const char* plain = strncmp(address, "::ffff:", 7) == 0 ? address + 7 : address;
  return snprintf(text, kAnswer, "%s %s\n", name, plain);
}

static void answer_stream(int listening) {
  struct sockaddr_in6 who;
  socklen_t size = sizeof who;
  int made = accept(listening, (struct sockaddr*)&who, &size);
  if (made < 0) return;
  char text[kAnswer];
  int length = answer_for(&who, text);
  if (write(made, text, length) != length) perror("write");
  shutdown(made, SHUT_WR);
  close(made);
}

static void answer_datagram(int served) {
  char text[kAnswer], control[256];
  struct sockaddr_in6 who;
  struct iovec piece = {.iov_base = text, .iov_len = sizeof text};
  struct msghdr message = {.msg_name = &who,
                           .msg_namelen = sizeof who,
                           .msg_iov = &piece,
                           .msg_iovlen = 1,
                           .msg_control = control,
                           .msg_controllen = sizeof control};
  if (recvmsg(served, &message, 0) < 0) return;
  piece.iov_len = answer_for(&who, text);
  if (sendmsg(served, &message, 0) < 0) perror("sendmsg");
}

_Noreturn static void serve(int port) {
  struct pollfd both[2] = {{.fd = listen_at(SOCK_STREAM, port), .events = POLLIN},
                           {.fd = listen_at(SOCK_DGRAM, port), .events = POLLIN}};
  for (;;) {
    if (poll(both, 2, -1) < 0) continue;
    if (both[0].revents) answer_stream(both[0].fd);
    if (both[1].revents) answer_datagram(both[1].fd);
  }
}

static socklen_t read_address(const char* text, int port, struct sockaddr_storage* to) {
  struct sockaddr_in* v4 = (struct sockaddr_in*)to;
  struct sockaddr_in6* v6 = (struct sockaddr_in6*)to;
  memset(to, 0, sizeof *to);
  if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    return sizeof *v4;
  }
  if (inet_pton(AF_INET6, text, &v6->sin6_addr) != 1) fail("no address");
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(port);
  return sizeof *v6;
}

static const char* word_for(int error) {
  if (error == ECONNREFUSED) return "refused";
  if (error == ECONNRESET) return "reset";
  if (error == EHOSTUNREACH || error == ENETUNREACH) return "unreachable";
  return "silent";
}

// 1 when there is something to read or it can be written; else with errno.
static int await(int made, short events) {
  struct pollfd one = {.fd = made, .events = events};
  int ready = poll(&one, 1, patience);
  if (ready == 1) return 1;
  errno = ETIMEDOUT;
  return 0;
}

static int connected(int made) {
  int error = 0;
  socklen_t size = sizeof error;
  if (!await(made, POLLOUT)) return 0;
  getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  return error == 0;
}

// Asks once: the answer without its newline, or a word for what happened.
static const char* ask_once(int type, const char* address, int port, int local, char* text) {
  struct sockaddr_storage to;
  socklen_t size = read_address(address, port, &to);
  int made = socket(to.ss_family, type | SOCK_NONBLOCK, 0);
  const char* said = NULL;
  if (local != 0) {
    struct sockaddr_storage from;
    int on = 1;
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    socklen_t own = read_address(to.ss_family == AF_INET ? "0.0.0.0" : "::", local, &from);
    if (bind(made, (struct sockaddr*)&from, own) != 0) fail("bind");
  }
  int done = connect(made, (struct sockaddr*)&to, size);
  if (done != 0 && errno != EINPROGRESS) said = word_for(errno);
  if (!said && type == SOCK_STREAM && !connected(made)) said = word_for(errno);
  if (!said && type == SOCK_DGRAM && send(made, "?", 1, 0) != 1) said = word_for(errno);
  size_t length = 0;
  while (!said && length + 1 < kAnswer) {
    if (!await(made, POLLIN)) {
      said = "silent";
      break;
    }
    ssize_t got = recv(made, text + length, kAnswer - 1 - length, 0);
    if (got < 0) said = word_for(errno);
    if (got <= 0) break;
    length += got;
    if (type == SOCK_DGRAM) break;
  }
  close(made);
  if (said) return said;
  if (length == 0) return "silent";
  text[length] = 0;
  text[strcspn(text, "\n")] = 0;
  return text;
}

static int ask(int type, const char* address, int port, int count, int local) {
  for (int i = 0; i < count; ++i) {
    char text[kAnswer];
    double begun = now();
    const char* said = ask_once(type, address, port, local, text);
    printf("%s %.0f\n", said, now() - begun);
    fflush(stdout);
  }
  return 0;
}

static int hold(const char* address, int port, int per_second, int seconds) {
  int answered = 0, failed = 0, count = per_second * seconds;
  double begun = now();
  for (int i = 0; i < count; ++i) {
    char text[kAnswer];
    const char* said = ask_once(SOCK_STREAM, address, port, 0, text);
    if (said == text) {
      ++answered;
    } else {
      ++failed;
      printf("%.0f %s\n", now() - begun, said);
    }
    double wait = begun + (i + 1) * 1e3 / per_second - now();
    if (wait > 0) usleep((useconds_t)(wait * 1e3));
  }
  printf("answered %d failed %d\n", answered, failed);
  return 0;
}

// With little patience: TCP itself would try again after a second only.
static int gap(const char* address, int port, int seconds) {
  patience = 50;
  int answered = 0;
  double begun = now(), last = begun, longest = 0;
  while (now() - begun < seconds * 1e3) {
    char text[kAnswer];
    if (ask_once(SOCK_STREAM, address, port, 0, text) == text) {
      double at = now();
      if (at - last > longest) longest = at - last;
      last = at;
      ++answered;
    }
    usleep(kPause * 1000);
  }
  if (now() - last > longest) longest = now() - last;
  printf("answered %d longest %.0f\n", answered, longest);
  return 0;
}

int main(int count, char** words) {
  signal(SIGPIPE, SIG_IGN);
  const char* verb = count > 1 ? words[1] : "";
  if (strcmp(verb, "serve") == 0 && count == 3) serve(atoi(words[2]));
  if (strcmp(verb, "ask") == 0 && count >= 5) {
    int type = strcmp(words[2], "udp") == 0 ? SOCK_DGRAM : SOCK_STREAM;
    return ask(type, words[3], atoi(words[4]), count > 5 ? atoi(words[5]) : 1,
               count > 6 ? atoi(words[6]) : 0);
  }
  if (strcmp(verb, "hold") == 0 && count == 6) {
    return hold(words[2], atoi(words[3]), atoi(words[4]), atoi(words[5]));
  }
  if (strcmp(verb, "gap") == 0 && count == 5) return gap(words[2], atoi(words[3]), atoi(words[4]));
  fprintf(stderr, "peer serve PORT | ask tcp|udp ADDRESS PORT [COUNT [LOCAL_PORT]] | hold ADDRESS PORT PER_SECOND SECONDS | gap ADDRESS PORT SECONDS\n");
  return 2;
}
