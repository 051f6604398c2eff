// Loaded first into a program that the launcher starts: when the launcher is gone, the program ends. One that has
// something to clean up listens for 'disconnect' itself and is then left to it.
process.on('disconnect', () => {
  if (process.listenerCount('disconnect') === 1) process.exit(143)
})
// Listening must not keep a finished program alive.
process.channel?.unref()
