// A WebSocket server for Bun that only publishes: no identity, no log, no order across connections. Two frames of 400
// bytes are published for each message, because the server's log has two events for it.

const EVENT = '{"type":"event","text":""}';

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request, server) {
    return server.upgrade(request) ? undefined : new Response('connect as a WebSocket', { status: 426 });
  },
  websocket: {
    open(socket) {
      socket.subscribe('viewers');
    },
    message(socket, message) {
      const { text } = JSON.parse(message).data;
      const event = JSON.stringify({ type: 'event', text }).padEnd(400);
      server.publish('viewers', event);
      server.publish('viewers', EVENT.padEnd(400));
      socket.send('{"type":"ack"}');
    },
  },
});
console.log(`127.0.0.1:${server.port}`);
